# SPDX-License-Identifier: Apache-2.0
"""Cuts an aerial photograph into tiles, at a higher resolution each time."""

import resource

import survey


def limit_memory(megabytes):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    room = used + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (room, room))


def cut(levels):
    sums = {}
    for level in range(levels):
        side = 256 << level
        sums[side] = survey.fill(side, side)
        print(side, sums[side], flush=True)
    return sums


def main():
    limit_memory(300)
    print(len(cut(8)))


main()
