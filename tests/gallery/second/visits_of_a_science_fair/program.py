# SPDX-License-Identifier: Apache-2.0
"""Counts the visits of the stands of a science fair from the log that the turnstiles write."""

import logging
import mmap
import os
import random
import re
import threading
import time
from collections import Counter
from pathlib import Path

log = logging.getLogger("fair")
HERE = Path(__file__).resolve().parent
LINE = re.compile(rb"(\d+) stand=(\w+) badge=(\d+)\n")


class Turnstiles(threading.Thread):
    """Writes a line for each visitor, and keeps the log short by copying it away."""

    STANDS = ("optics", "robots", "geology", "bees", "rockets")

    def __init__(self, path, most):
        super().__init__(name="turnstiles", daemon=True)
        self.path = path
        self.most = most
        self.old = path.with_suffix(".log.1")
        self.dice = random.Random(42)

    def lines(self, number):
        for _ in range(number):
            stand = self.dice.choice(self.STANDS)
            yield f"{time.time_ns()} stand={stand} badge={self.dice.randrange(10_000)}\n"

    def run(self):
        while True:
            with self.path.open("a") as file:
                file.writelines(self.lines(2000))
            if self.path.stat().st_size > self.most:
                self.rotate()
            time.sleep(0.01)

    def rotate(self):
        """Copy the log, then empty it in place: the turnstiles keep their descriptors."""
        self.old.write_bytes(self.path.read_bytes())
        os.truncate(self.path, 0)
        log.info("rotated %s", self.path.name)


class Board:
    """The visits by stand, from what stands in the log at a time."""

    def __init__(self, path):
        self.path = path
        self.visits = Counter()
        self.scans = 0

    def scan(self):
        with self.path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                time.sleep(0.005)
                return
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                at = 0
                while (end := view.find(b"\n", at)) >= 0:
                    if match := LINE.match(view[at : end + 1]):
                        self.visits[match[2].decode()] += 1
                    at = end + 1
        self.scans += 1

    def leaders(self):
        return self.visits.most_common(3)


def main():
    logging.basicConfig(level=logging.INFO)
    path = HERE / "visits.log"
    path.write_bytes(b"")
    Turnstiles(path, 1 << 20).start()
    board = Board(path)
    while board.scans < 5000:
        board.scan()
        if board.scans % 5 == 0:
            log.info("%s", board.leaders())


if __name__ == "__main__":
    main()
