# SPDX-License-Identifier: Apache-2.0
"""A thread of a C library writes the time, a double of eight bytes, into a Python buffer that was
freed; the items of a list lie there now.
"""

import ctypes
import os
import time


def publish(library):
    # The library keeps the address; the array is freed when this function ends.
    values = (ctypes.c_double * 120)()
    library.ticker_publish(ctypes.byref(values, 40 * 8))
    time.sleep(0.15)
    return values[40]


def name_rows(number):
    return ["row-%d-%d" % (number, n) for n in range(119)] + ["end"]


def main():
    library = ctypes.CDLL(os.path.abspath("ticker.so"))
    print(publish(library))
    rows = [name_rows(number) for number in range(20)]
    time.sleep(0.5)
    print(sum(len(text) for row in rows for text in row))


main()
