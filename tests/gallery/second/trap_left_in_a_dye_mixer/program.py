# SPDX-License-Identifier: Apache-2.0
"""Recipes of a textile dyer are solved by a small native library, threads feed it from a queue."""

import ctypes
import os
import queue
import threading

mixer = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mixer.so"))
mixer.mix.argtypes = [ctypes.POINTER(ctypes.c_double), ctypes.c_int]
mixer.mix.restype = ctypes.c_double
SHADES = {"sand": (0.2, 0.5, 0.1), "moss": (0.1, 0.6, 0.4), "night": (0.9, 0.1, 0.1)}


class Vat(threading.Thread):
    def __init__(self, number, orders, mixed):
        super().__init__(name=f"vat-{number}", daemon=True)
        self.orders, self.mixed = orders, mixed

    def run(self):
        while True:
            shade, parts = self.orders.get()
            self.mixed.append((shade, solve(parts)))
            self.orders.task_done()


def solve(parts):
    block = (ctypes.c_double * len(parts))(*parts)
    return mixer.mix(block, len(parts))


def correct(parts, batch):
    """A batch is corrected by what was measured in the last one."""
    return tuple(part - 0.03 * batch for part in parts)


def main():
    orders, mixed = queue.Queue(), []
    for number in range(2):
        Vat(number, orders, mixed).start()
    for shade, parts in SHADES.items():
        orders.put((shade, parts))
    orders.join()
    print("first batches", sorted(mixed), flush=True)
    for batch in range(1, 6):
        orders.put(("sand", correct(SHADES["sand"], batch)))
        orders.join()
    print("all mixed", len(mixed), flush=True)


main()
