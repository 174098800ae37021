# SPDX-License-Identifier: Apache-2.0
"""Prepares patterns for the looms of a tapestry workshop, several at a time."""

import ctypes
import logging
import queue
import threading
from pathlib import Path

log = logging.getLogger("weave")

weave = ctypes.CDLL(str(Path(__file__).with_name("weave.so")))
weave.soften.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
weave.soften.restype = ctypes.c_ulong

ORDERS = [
    ("unicorn at rest", 3_000, 400),
    ("hunting party", 9_600, 260),
    ("millefleurs", 24_000, 120),
    ("battle of the fleets, frieze of the council hall", 1_200_000, 6),
    ("coat of arms", 2_400, 200),
]


class Pattern:
    def __init__(self, title, threads, rows):
        self.title = title
        self.threads = threads
        self.rows = rows
        self.cloth = bytearray((7 * i) & 255 for i in range(threads)) * rows

    def soften(self):
        view = (ctypes.c_ubyte * len(self.cloth)).from_buffer(self.cloth)
        return weave.soften(ctypes.addressof(view), self.threads, self.rows)


class Loom(threading.Thread):
    """Takes patterns from the queue until there are none."""

    def __init__(self, number, orders, done):
        super().__init__(name=f"loom-{number}")
        self.orders = orders
        self.done = done

    def run(self):
        while True:
            try:
                pattern = self.orders.get(timeout=1)
            except queue.Empty:
                return
            log.info("%s takes %s", self.name, pattern.title)
            self.done[pattern.title] = pattern.soften()


def main():
    logging.basicConfig(level=logging.INFO)
    threading.stack_size(512 * 1024)  # forty looms in a small container
    orders, done = queue.Queue(), {}
    looms = [Loom(number, orders, done) for number in range(4)]
    for loom in looms:
        loom.start()
    for order in ORDERS:
        orders.put(Pattern(*order))
    for loom in looms:
        loom.join()
    print(done)


if __name__ == "__main__":
    main()
