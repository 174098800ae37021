# SPDX-License-Identifier: Apache-2.0
"""Cameras of a toll road: each lane is read by a process, the plates are kept in a native cache."""

import ctypes
import logging
import multiprocessing
import os
import random
import threading
import time
from pathlib import Path

log = logging.getLogger("toll")
HERE = Path(__file__).resolve().parent


class PlateCache:
    """See platecache.c."""

    def __init__(self):
        self.library = ctypes.CDLL(str(HERE / "platecache.so"))
        self.library.platecache_note.argtypes = [ctypes.c_char_p]

    def note(self, plate):
        return self.library.platecache_note(plate.encode())

    def compact(self, seconds):
        return self.library.platecache_compact(int(seconds * 1e6))


class Compactor(threading.Thread):
    """Compacts the cache of the parent all the time that it has."""

    def __init__(self, cache):
        super().__init__(name="compactor", daemon=True)
        self.cache = cache
        self.kept = 0

    def run(self):
        while True:
            self.kept = self.cache.compact(0.9)
            time.sleep(0.01)


class Heartbeat(threading.Thread):
    def __init__(self, name):
        super().__init__(name=f"heartbeat-{name}", daemon=True)
        self.beats = 0

    def run(self):
        while True:
            self.beats += 1
            time.sleep(1)


class Lane:
    """Reads the plates of one lane, in a process of its own."""

    def __init__(self, number, cache):
        self.number = number
        self.cache = cache
        self.cars = 0

    def plates(self):
        chance = random.Random(self.number)
        while True:
            letters = "".join(chance.choice("ABCDEFGHKLMNP") for _ in range(3))
            yield f"{letters}-{chance.randrange(100, 999)}"

    def serve(self):
        Heartbeat(f"lane-{self.number}").start()
        if self.number == 1:
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
        for plate in self.plates():
            self.cache.note(plate)
            self.cars += 1
            time.sleep(0.05)


def main():
    logging.basicConfig(level=logging.INFO)
    cache = PlateCache()
    for plate in ("KLM-101", "PAN-747"):
        cache.note(plate)
    Compactor(cache).start()
    Heartbeat("toll").start()
    time.sleep(0.3)
    context = multiprocessing.get_context("fork")
    lanes = [context.Process(target=Lane(number, cache).serve) for number in (1, 2)]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
        log.info("lane ended: %s", lane.exitcode)


if __name__ == "__main__":
    main()
