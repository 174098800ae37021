# SPDX-License-Identifier: Apache-2.0
"""Compares the lines of a scanner with the line before, which a native module remembers."""

import scanline

WIDTH = 600_000


class Scanner:
    def __init__(self, width):
        self.line = bytearray(width)
        self.passes = 0

    def read(self, width):
        """Read the next line into the buffer, which is as wide as the sheet."""
        if width != len(self.line):
            self.line = bytearray(width)
        self.line[0:width:97] = bytes(len(range(0, width, 97)))
        self.passes += 1
        return self.line


def main():
    scanner = Scanner(WIDTH)
    changed = []
    for sheet in (WIDTH, WIDTH, WIDTH // 8, WIDTH):
        changed.append(scanline.compare(scanner.read(sheet)))
    print(changed)


main()
