# SPDX-License-Identifier: Apache-2.0
"""Rings the chimes of a town hall: the kernel's timer tells when a quarter is over."""

import os
import queue
import signal
import threading
from functools import partial
from pathlib import Path

QUARTER = 900.0


class Tower:
    def __init__(self):
        self.quarter = threading.Semaphore(0)
        self.strokes = queue.Queue()
        self.rung = 0

    def arm(self):
        signal.signal(signal.SIGALRM, partial(self.strike, 1))
        signal.setitimer(signal.ITIMER_REAL, QUARTER, QUARTER)

    def strike(self, strokes, signum, frame):
        self.quarter.release(strokes)

    def ring(self, quarters):
        for _ in range(quarters):
            self.quarter.acquire()
            self.strokes.put(1 + self.rung % 4)
            self.rung += 1
        self.strokes.put(None)


def bell(strokes):
    while (count := strokes.get()) is not None:
        print("dong " * count, flush=True)


def main():
    tower = Tower()
    hammer = threading.Thread(target=bell, args=(tower.strokes,), name="hammer")
    hammer.start()
    tower.arm()
    Path("ready").write_text(f"{os.getpid()}\n")
    tower.ring(96)
    hammer.join()


if __name__ == "__main__":
    main()
