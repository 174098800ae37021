# SPDX-License-Identifier: Apache-2.0
"""Ships' logbooks: clerks append entries; when a book is full, it is packed before the next."""

import lzma
import os
import random
import threading
import time
from pathlib import Path


class Logbook:
    def __init__(self, most):
        self.most = most
        self._lock = threading.RLock()
        self._entries = []
        self.volumes = []

    def append(self, ship, text):
        with self._lock:
            self._entries.append(f"{ship}: {text}")
            if len(self._entries) >= self.most:
                self.pack()

    def pack(self):
        with self._lock:
            text = "\n".join(self._entries).encode()
            self.volumes.append(lzma.compress(text, preset=6 | lzma.PRESET_EXTREME))
            self._entries.clear()


class Clerk(threading.Thread):
    def __init__(self, ship, book):
        super().__init__(name=f"clerk-{ship}", daemon=True)
        self.ship, self.book = ship, book
        self.source = random.Random(ship)

    def run(self):
        while True:
            words = self.source.choices(["calm", "gale", "fog", "swell", "north", "west"], k=12)
            self.book.append(self.ship, f"{self.source.random():.12f} " + " ".join(words))
            time.sleep(0.002)


def main():
    book = Logbook(most=300_000)
    source = random.Random(1)
    for number in range(299_900):  # what was written during the day
        book.append("Marigold", " ".join(f"{source.random():.9f}" for _ in range(6)))
    clerks = [Clerk(ship, book) for ship in ("Marigold", "Petrel", "Osprey", "Curlew")]
    for clerk in clerks:
        clerk.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    while True:
        time.sleep(5)
        print(len(book.volumes), flush=True)


if __name__ == "__main__":
    main()
