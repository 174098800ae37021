# SPDX-License-Identifier: Apache-2.0
"""Prepares the image of an EPROM: symbols are resolved while they are stored."""

import sys


class Image(bytearray):
    """An image whose symbols may be moved until the end."""

    def __init__(self, size):
        super().__init__(size)
        self.symbols = {}
        self.patches = []

    def restart(self, size):
        del self[:]
        self.extend(bytes(size))
        self.patches.append(size)


class Symbol:
    def __init__(self, image, name, page):
        self.image = image
        self.name = name
        self.page = page

    def __index__(self):
        known = self.image.symbols.get(self.name)
        if known is None:
            known = self.image.symbols[self.name] = self.page & 0xFF
            if self.page > 200:
                self.image.restart(self.page)
        return known


def lay_out(image, names):
    for place, name in enumerate(names):
        page = 17 + 3 * place
        offset = len(image) - 0x1000 * (place + 1)
        if offset > 0:
            image[offset] = Symbol(image, name, page)


def main():
    image = Image(8 << 20)
    lay_out(image, ["entry_%d" % number for number in range(300)])
    print(len(image), len(image.symbols), file=sys.stderr)


main()
