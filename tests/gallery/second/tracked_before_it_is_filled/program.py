# SPDX-License-Identifier: Apache-2.0
"""A new object is shown to the garbage collector before its fields are set."""

import trees


def read_rows():
    return [[number, [number]] for number in range(60_000)]


def open_tree():
    return trees.load_tree(read_rows)


def main():
    lines = [b"k" * 15 for _ in range(3000)]
    lines = [bytes(bytearray(line)) for line in lines]
    del lines
    print(open_tree())


main()
