# SPDX-License-Identifier: Apache-2.0
"""An extension allocates memory of Python's while it has given the GIL away."""

import packing


def compress(blocks):
    return [packing.pack_block(block) for block in blocks]


def main():
    print(compress([b"aabbbbcc", b"xxxyyz"]))


main()
