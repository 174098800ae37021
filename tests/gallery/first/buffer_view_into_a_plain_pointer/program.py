# SPDX-License-Identifier: Apache-2.0
"""The kind of each frame of a stream is read by an extension that parses "y*" into a char *."""

import frames


def kinds(stream, size):
    for start in range(0, len(stream), size):
        yield frames.kind_of_frame(stream[start : start + size], 2)


def count_kinds(stream):
    counts = {}
    for kind in kinds(stream, 16):
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def main():
    print(count_kinds(b"FKEY............FDAT............" * 20))


main()
