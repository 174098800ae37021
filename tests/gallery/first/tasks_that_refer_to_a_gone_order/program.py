# SPDX-License-Identifier: Apache-2.0
"""Orders are worked off later, by a thread."""

import ctypes
import os
import time

library = ctypes.CDLL(os.path.abspath("order_desk.so"))
library.order_later.argtypes = [ctypes.c_char_p]
library.mean_price.argtypes = [ctypes.c_double]
library.mean_price.restype = ctypes.c_double


def take(names):
    for name in names:
        library.order_later(name.encode())


def mean_price(start):
    return library.mean_price(start)


def main():
    take(["six chairs", "a table of oak with four leaves"])
    print(mean_price(17.5), flush=True)
    library.tasks_start()
    time.sleep(1)
    print(library.tasks_done())


main()
