# SPDX-License-Identifier: Apache-2.0
"""Map tiles are checked with CRC-32 before they are served, then shaded."""

import zlib

import tiles


def check(tile):
    return zlib.crc32(tile)


def serve(zoom):
    tile = tiles.Tile(64 + zoom)
    sums = [check(tile), check(tile)]
    labels = [("tile-%d-%d" % (zoom, part), float(part)) for part in range(40)]
    shade = tile.shade(3)
    return sums, shade, labels


def main():
    for zoom in range(4):
        print(zoom, serve(zoom)[:2])


main()
