# SPDX-License-Identifier: Apache-2.0
"""Sorts packets into classes by their size, with a chain of comparisons made into machine code."""

import ctypes
import mmap

from emit import Code

FILTER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_long)


class Filter:
    def __init__(self, bounds):
        self.page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.page.write(self.compile(bounds))
        self.call = FILTER(ctypes.addressof(ctypes.c_char.from_buffer(self.page)))

    @staticmethod
    def compile(bounds):
        code = Code()
        for number, bound in enumerate(bounds):
            code.compare(bound)
            code.jump_if_below("class %d" % number)
        code.give(len(bounds))
        code.jump("end")
        for number in range(len(bounds)):
            code.label("class %d" % number)
            code.give(number)
            code.jump("end")
        code.label("end")
        code.emit(0xC3)  # ret
        return code.finish()


def histogram(bounds, sizes):
    packets = Filter(bounds)
    counts = [0] * (len(bounds) + 1)
    for size in sizes:
        counts[packets.call(size)] += 1
    return counts


def main():
    sizes = [(number * 977) % 1500 for number in range(3000)]
    print(histogram([64, 128, 256, 512, 1024], sizes))
    print(histogram(range(50, 1500, 50), sizes))


main()
