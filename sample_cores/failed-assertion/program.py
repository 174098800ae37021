# SPDX-License-Identifier: Apache-2.0
"""A consumer that pops once too often from a ring buffer written in C."""

from __future__ import annotations

import threading
import time

import _ring

SETTLE_SECONDS = 0.3  # so that the other thread has reached the place where it waits


class Consumer:
    """Take numbers out of the ring."""

    def __init__(self):
        self.taken = []

    def take_one(self):
        """Take the oldest number."""
        self.taken.append(_ring.pop())

    def drain(self, expected):
        """Take as many numbers as the producer promised."""
        while len(self.taken) < expected:
            self.take_one()
        return self.taken


def produce(count):
    """Put numbers into the ring."""
    for number in range(count):
        _ring.push(number * 3)


def watch_forever(wake_up):
    """Stand for a thread that watches the queue's length."""
    wake_up.wait()


def main():
    """Produce five, consume six."""
    wake_up = threading.Event()
    threading.Thread(target=watch_forever, args=(wake_up,), name="watcher", daemon=True).start()
    time.sleep(SETTLE_SECONDS)
    produce(5)
    Consumer().drain(expected=6)


main()
