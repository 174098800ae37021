# SPDX-License-Identifier: Apache-2.0
"""Packs crates of wine: the shop waits until the packing table's scale says they are full."""

import os
import threading
import time
from pathlib import Path


class Crate:
    def __init__(self, number):
        self.number = number
        self._state = "open"
        self._sealed = threading.Lock()
        self._sealed.acquire()

    @property
    def state(self):
        return self._state

    @state.setter
    def state(self, value):
        self._state = value
        if value == "sealed":
            self._sealed.release()

    def collect(self):
        with self._sealed:
            return self.number


class Table:
    """Bottles come slowly: one in 25 seconds, twelve for a crate."""

    def __init__(self):
        self.began = time.monotonic()

    def bottles(self):
        return int((time.monotonic() - self.began) / 25)

    def pack(self, crates):
        for turn, crate in enumerate(crates, 1):
            while self.bottles() < 12 * turn:
                time.sleep(0.5)
            crate.state = "sealed"


def collect(crates):
    for crate in crates:
        print(crate.collect(), flush=True)


def main():
    crates = [Crate(number) for number in range(6)]
    threading.Thread(target=Table().pack, args=(crates,), name="table").start()
    couriers = [
        threading.Thread(target=collect, args=(crates[n::2],), name=f"courier-{n}")
        for n in range(2)
    ]
    for courier in couriers:
        courier.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for courier in couriers:
        courier.join()


if __name__ == "__main__":
    main()
