# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below C code that calls back into Python: several evaluation loops on one C stack."""

import ctypes
import functools
import operator

import deathbed

COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def from_reduce(way):
    functools.reduce(lambda total, item: deathbed.die(item), [None, way])


class Sortable:
    def __init__(self, way):
        self.way = way

    def __lt__(self, other):
        return list(map(from_reduce, [self.way]))


def from_sort(way):
    return max(sorted([Sortable(way), Sortable(way)]), key=operator.attrgetter("way"))


def from_qsort(way):
    @COMPARE
    def compare(left, right):
        from_sort(way)
        return 0

    numbers = (ctypes.c_int * 2)(2, 1)
    ctypes.CDLL(None).qsort(numbers, 2, ctypes.sizeof(ctypes.c_int), compare)


def trampoline(way):
    exec("eval('call(way)')", {"call": from_qsort, "way": way})


if __name__ == "__main__":
    trampoline(deathbed.prepare("memmove"))
