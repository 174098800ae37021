# SPDX-License-Identifier: Apache-2.0
"""Shaded tiles of a relief map are made for each zoom; the service may have 200 MB."""

import resource
import sys

sys.path.insert(0, ".")

import tiles

resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))


class Store:
    def __init__(self):
        self.kept = {}

    def tile(self, zoom, x, y):
        key = zoom, x, y
        if key not in self.kept:
            self.kept[key] = tiles.shade(zoom * 40 + x + y)
        return self.kept[key]

    def warm(self, zoom):
        for x in range(2**zoom):
            for y in range(2**zoom):
                self.tile(zoom, x, y)
        return len(self.kept)


def main():
    store = Store()
    for zoom in range(6):
        print(zoom, store.warm(zoom), flush=True)


main()
