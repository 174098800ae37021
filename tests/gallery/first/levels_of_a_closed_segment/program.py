# SPDX-License-Identifier: Apache-2.0
"""Water levels lie in shared memory."""

from multiprocessing import shared_memory

import numpy


def levels_in(segment, count):
    return numpy.ndarray((count,), dtype=numpy.float64, buffer=segment.buf)


def measure(count):
    segment = shared_memory.SharedMemory(create=True, size=8 * count)
    levels = levels_in(segment, count)
    levels[:] = 3.5
    segment.close()
    segment.unlink()
    return levels


def main():
    levels = measure(500_000)
    print(levels.mean())


main()
