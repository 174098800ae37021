# SPDX-License-Identifier: Apache-2.0
"""Feeds what the door controllers of a museum tell into its event bus."""

import ctypes
import itertools
import logging
import queue
import threading
import time
from pathlib import Path

log = logging.getLogger("doors")

library = ctypes.CDLL(str(Path(__file__).with_name("doorbus.so")))
library.bus_new.restype = ctypes.c_void_p
library.bus_post.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
library.bus_post.restype = None
library.bus_handled.argtypes = [ctypes.c_void_p]
library.bus_handled.restype = ctypes.c_long

NAMES = {1: "opened", 2: "closed", 7: "held-open"}


class Controller(threading.Thread):
    """Reads the telegrams of one controller."""

    def __init__(self, floor, inbox):
        super().__init__(name=f"controller-{floor}", daemon=True)
        self.floor = floor
        self.inbox = inbox

    def telegrams(self):
        for turn in itertools.count():
            door = 10 * self.floor + turn % 9
            yield bytes([1, door])
            yield bytes([2, door])
            if self.floor == 3 and turn == 40:  # firmware 2.4 of the new wing
                yield bytes([7, door])

    def run(self):
        for telegram in self.telegrams():
            self.inbox.put(telegram)
            time.sleep(0.002)


class Gateway:
    def __init__(self):
        self.inbox = queue.Queue(maxsize=256)
        self.bus = library.bus_new()
        self.seen = {}

    def run(self):
        for floor in range(1, 4):
            Controller(floor, self.inbox).start()
        while True:
            code, door = self.inbox.get(timeout=5)
            self.seen[door] = code
            library.bus_post(self.bus, NAMES[code].encode(), door)
            if len(self.seen) % 100 == 0:
                log.info("%d handled", library.bus_handled(self.bus))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    Gateway().run()
