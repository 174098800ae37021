# SPDX-License-Identifier: Apache-2.0
"""A type with GC support frees its objects without untracking them; the next collection walks
into freed memory.
"""

import gc

import graph


def sweep():
    return gc.collect()


def main():
    gc.disable()
    keep = [graph.Node() for _ in range(50)]
    del keep[::2]
    noise = [bytes([0xA1]) * n for n in range(8, 80) for _ in range(60)]
    print(sweep(), len(noise))


main()
