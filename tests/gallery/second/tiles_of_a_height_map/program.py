# SPDX-License-Identifier: Apache-2.0
"""A process renders the tiles of a height map and hands them to its parent."""

import multiprocessing
import os
from array import array
from pathlib import Path


def render_tiles(rows, tiles):
    for row in range(rows):
        heights = array("d", (row * 0.5 + column * 0.01 for column in range(4096)))
        tiles.put((row, heights.tobytes()))


def main():
    context = multiprocessing.get_context("fork")
    tiles = context.Queue()
    renderer = context.Process(target=render_tiles, args=(40, tiles), name="renderer")
    renderer.start()
    Path("ready").write_text(f"{renderer.pid}\n")
    renderer.join()
    done = [tiles.get() for _ in range(40)]
    print(len(done), "tiles from", os.getpid())


if __name__ == "__main__":
    main()
