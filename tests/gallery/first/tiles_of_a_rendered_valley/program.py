# SPDX-License-Identifier: Apache-2.0
"""Render a valley in tiles by two processes."""

import concurrent.futures
import multiprocessing
import os
import threading
from collections import OrderedDict

from valley import render

SIZE = 64


class Picture:
    def __init__(self, columns, rows):
        self.tiles = OrderedDict()
        for top in range(0, rows, SIZE):
            for left in range(0, columns, SIZE):
                self.tiles[left, top, SIZE] = None
        self._changed = threading.Condition()

    def put(self, tile, shade):
        with self._changed:
            self.tiles[tile] = shade
            self._changed.notify_all()

    @property
    def done(self):
        return sum(shade is not None for shade in self.tiles.values())

    def await_tiles(self, many):
        with self._changed:
            self._changed.wait_for(lambda: self.done >= many)


class Preview(threading.Thread):
    """Shows the picture when its first tiles are there, and then when all are."""

    def __init__(self, picture):
        super().__init__(name="preview", daemon=True)
        self.picture = picture

    def run(self):
        self.picture.await_tiles(3)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        self.picture.await_tiles(len(self.picture.tiles))


def main():
    picture = Picture(640, 640)
    Preview(picture).start()
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        work = [pool.submit(render, tile) for tile in picture.tiles]
        for each in concurrent.futures.as_completed(work):
            picture.put(*each.result())
    print(picture.done, "tiles")


if __name__ == "__main__":
    main()
