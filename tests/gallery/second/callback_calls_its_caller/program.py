# SPDX-License-Identifier: Apache-2.0
"""A C sort calls back into Python, whose callback sorts again: Python and C in turn until the C
stack ends.
"""

import ctypes
import sys

libc = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


@COMPARE
def compare(left, right):
    order()
    return 0


def order():
    data = (ctypes.c_int * 2)(2, 1)
    libc.qsort(data, 2, 4, compare)


def main():
    sys.setrecursionlimit(10_000_000)
    order()


main()
