# SPDX-License-Identifier: Apache-2.0
"""A county's flood map: which meadows are under water at a level of the river."""

import array
import ctypes
import logging
import math
import os
import queue
import threading

logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("flood")


def terrain(width, height):
    """Return heights in centimetres: a valley along the diagonal."""
    return array.array(
        "h",
        (
            int(abs(x - y * width / height) * 3 + 20 * math.sin(x / 9))
            for y in range(height)
            for x in range(width)
        ),
    )


class Basin:
    def __init__(self, name, width, height):
        self.name, self.width, self.height = name, width, height
        self.heights = terrain(width, height)
        self.wet = (ctypes.c_uint8 * (width * height))()


class Modeller(threading.Thread):
    """Takes basins and levels; many of them run, so that their stacks are kept small."""

    def __init__(self, number, library, orders):
        super().__init__(name=f"modeller-{number}", daemon=True)
        self.library, self.orders = library, orders

    def run(self):
        while True:
            basin, level, done = self.orders.get()
            cells = self.flood(basin, level)
            log.info("%s at %d cm: %d cells", basin.name, level, cells)
            done.set()

    def flood(self, basin, level):
        address, _ = basin.heights.buffer_info()
        ctypes.memset(basin.wet, 0, len(basin.wet))
        return self.library.flood(
            ctypes.c_void_p(address), basin.wet, basin.width, basin.height, 0, 0, level
        )


def main():
    library = ctypes.CDLL(os.path.abspath("flood.so"))
    library.flood.restype = ctypes.c_long
    orders = queue.Queue()
    threading.stack_size(512 * 1024)
    for number in range(6):
        Modeller(number, library, orders).start()
    for name, size, level in [
        ("Upper Mill", 24, 60),
        ("Goose Green", 40, 90),
        ("Lower Meadow", 400, 500),
    ]:
        done = threading.Event()
        orders.put((Basin(name, size, size), level, done))
        done.wait()
    log.info("the map is ready")


if __name__ == "__main__":
    main()
