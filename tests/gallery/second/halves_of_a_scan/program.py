# SPDX-License-Identifier: Apache-2.0
"""Compares the brightness of the two halves of a scanned page."""

import scans


def brightness(half):
    return sum(half[::4096]) / max(len(half) // 4096, 1)


def compare(scan):
    left = memoryview(scan)[: scan.size // 2]
    right = memoryview(scan)[scan.size // 2 :]
    first = brightness(left)
    left.release()
    second = brightness(right)
    right.release()
    return first - second


def main():
    for page in range(1, 4):
        scan = scans.Scan(page, 8 << 20)
        print("page %d: %+.2f" % (page, compare(scan)))


main()
