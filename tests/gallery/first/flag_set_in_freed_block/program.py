# SPDX-License-Identifier: Apache-2.0
"""A native thread sets a flag in a struct that was freed; the block is now a table of pointers,
and one bit of one pointer is set.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("timers.so"))
library.new_timer.restype = ctypes.c_void_p
for function in (library.drop_timer, library.expire):
    function.argtypes = [ctypes.c_void_p]


def lookup(number):
    return library.walk(number)


def main():
    timer = library.new_timer()
    library.drop_timer(timer)
    library.fill()
    print(lookup(0))
    library.expire(timer)
    print(lookup(0))


main()
