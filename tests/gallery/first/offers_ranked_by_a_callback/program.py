# SPDX-License-Identifier: Apache-2.0
"""Offers are ranked by qsort(); the table of orders keeps the addresses of comparisons alone."""

import gc

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    typedef int (*order)(const void *, const void *);
    void qsort(void *base, size_t count, size_t size, order compare);
    """
)
libc = ffi.dlopen(None)


class Ranking:
    def __init__(self, sign):
        self.sign = sign
        self.table = ffi.new("order[1]")
        self.table[0] = ffi.callback("order", self.compare)

    def compare(self, left, right):
        return self.sign * (ffi.cast("int *", left)[0] - ffi.cast("int *", right)[0])


def ranked(prices, ranking):
    offers = ffi.new("int[]", prices)
    libc.qsort(offers, len(prices), ffi.sizeof("int"), ranking.table[0])
    return list(offers)


def main():
    cheapest_first = Ranking(1)
    gc.collect()
    print(ranked([519, 349, 899, 429], cheapest_first))


main()
