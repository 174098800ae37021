# SPDX-License-Identifier: Apache-2.0
"""Pipeline of an archive: scan, enhance, recognise. Recognition is slow, the others wait for it."""

import os
import queue
import threading
from pathlib import Path

WORDS = ["quay", "anchor", "letter", "winter", "barley", "mother", "harvest", "fever"]


class Stage(threading.Thread):
    def __init__(self, name, function, source, target):
        super().__init__(name=name)
        self.function, self.source, self.target = function, source, target

    def run(self):
        while (item := self.source.get()) is not None:
            result = self.function(item)
            if self.target is not None:
                self.target.put(result)
        if self.target is not None:
            self.target.put(None)


def scan(number):
    return number, [(number * k) % 256 for k in range(2000)]


def enhance(page):
    number, pixels = page
    low, high = min(pixels), max(pixels)
    return number, [(p - low) * 255 // (high - low or 1) for p in pixels]


def distance(left, right):
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


class Recogniser:
    def __init__(self):
        self.letters = {}

    def __call__(self, page):
        number, pixels = page
        text = "".join(chr(97 + p % 26) for p in pixels)
        best = [
            min(WORDS, key=lambda word: distance(text[k : k + 40], word))
            for k in range(0, len(text) - 8)
        ]
        self.letters[number] = " ".join(best)
        print(number, best[0], flush=True)


def main():
    numbers, scanned, enhanced = queue.Queue(8), queue.Queue(4), queue.Queue(4)
    recogniser = Recogniser()
    stages = [
        Stage("scanner", scan, numbers, scanned),
        Stage("enhancer", enhance, scanned, enhanced),
        Stage("recogniser", recogniser, enhanced, None),
    ]
    for stage in stages:
        stage.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for number in range(1, 500):
        numbers.put(number)
    numbers.put(None)
    for stage in stages:
        stage.join()


if __name__ == "__main__":
    main()
