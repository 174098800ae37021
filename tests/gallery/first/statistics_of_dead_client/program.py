# SPDX-License-Identifier: Apache-2.0
"""A native thread counts bytes in a client record that was freed; the word is now a pointer of
another structure and grows by one at each tick.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("counters.so"))


def deliver(count):
    return library.deliver(count)


def main():
    library.prepare()
    print(deliver(10))
    library.tick(3)
    print(deliver(10))


main()
