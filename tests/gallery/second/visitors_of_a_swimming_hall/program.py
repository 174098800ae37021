# SPDX-License-Identifier: Apache-2.0
"""Counts the visitors of a swimming hall, and writes the count down twice a second."""

import os
import signal
import threading
import time
from pathlib import Path


class Counter:
    def __init__(self):
        self.count_lock = threading.Lock()
        self.inside = 0

    def enter(self, group):
        with self.count_lock:
            for _ in range(group):
                time.sleep(0.002)  # the turnstile turns
                self.inside += 1

    def leave(self, group):
        with self.count_lock:
            self.inside -= group

    def write_down(self, signum, frame):
        with self.count_lock:
            inside = self.inside
        Path("inside.txt").write_text(f"{inside}\n")


def main():
    counter = Counter()
    signal.signal(signal.SIGALRM, counter.write_down)
    signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
    Path("ready").write_text(f"{os.getpid()}\n")
    while counter.inside < 100_000:
        counter.enter(25)
        counter.leave(20)


if __name__ == "__main__":
    main()
