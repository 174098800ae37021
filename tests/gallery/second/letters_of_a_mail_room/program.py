# SPDX-License-Identifier: Apache-2.0
"""The letters of a day are sorted into pigeonholes by two clerks."""

import os
import queue
import threading
from collections import Counter
from pathlib import Path


class MailRoom:
    def __init__(self, clerks=2):
        self.letters = queue.Queue()
        self.pigeonholes = Counter()
        for number in range(clerks):
            threading.Thread(target=self._sort, name=f"clerk-{number}", daemon=True).start()

    def _sort(self):
        while True:
            letter = self.letters.get()
            floor, _, desk = letter["to"].partition("/")
            self.pigeonholes[int(floor), desk] += 1
            self.letters.task_done()

    def close_day(self):
        self.letters.join()
        return sum(self.pigeonholes.values())


def main():
    room = MailRoom()
    for number in range(400):
        to = f"{number % 5}/{number % 31}" if number % 150 != 149 else "ground/reception"
        room.letters.put({"to": to, "weight": 20})
    Path("ready").write_text(f"{os.getpid()}\n")
    print(room.close_day(), "letters sorted")


if __name__ == "__main__":
    main()
