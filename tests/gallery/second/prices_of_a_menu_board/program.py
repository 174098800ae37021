# SPDX-License-Identifier: Apache-2.0
"""Menu boards read prices; a rare correction writes them."""

import contextlib
import os
import threading
import time
from pathlib import Path


class SharedLock:
    """Many may read, one may write."""

    def __init__(self):
        self._state = threading.Condition()
        self._readers = 0
        self._writing = False

    @contextlib.contextmanager
    def reading(self):
        with self._state:
            self._state.wait_for(lambda: not self._writing)
            self._readers += 1
        try:
            yield
        finally:
            with self._state:
                self._readers -= 1
                self._state.notify_all()

    @contextlib.contextmanager
    def writing(self):
        with self._state:
            self._state.wait_for(lambda: not self._writing)
            self._writing = True
            self._state.wait_for(lambda: self._readers == 0)
        try:
            yield
        finally:
            with self._state:
                self._writing = False
                self._state.notify_all()


class Prices:
    def __init__(self):
        self.shared = SharedLock()
        self.cents = {f"dish {n}": 700 + n * 30 for n in range(40)}

    def show(self, dish):
        with self.shared.reading():
            if self.cents[dish] % 100 == 0:
                self.round_off(dish)
            return self.cents[dish]

    def round_off(self, dish):
        with self.shared.writing():
            self.cents[dish] -= 5


def board(prices, first):
    for turn in range(5000):
        prices.show(f"dish {(first + turn) % 40}")
        time.sleep(0.01)


def heartbeat():
    while True:
        time.sleep(0.5)


def main():
    prices = Prices()
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    boards = [
        threading.Thread(target=board, args=(prices, n + 12), name=f"board-{n}") for n in range(3)
    ]
    Path("ready").write_text(f"{os.getpid()}\n")
    for each in boards:
        each.start()
    for each in boards:
        each.join()


if __name__ == "__main__":
    main()
