# SPDX-License-Identifier: Apache-2.0
"""Keeps the scores of a player organ up to date while the organ builder edits them."""

import os
import tempfile
from dataclasses import dataclass

from reloader import Reloader


@dataclass
class Score:
    title: str
    notes: list

    @classmethod
    def load(cls, path):
        with open(path) as source:
            title, *lines = source.read().splitlines()
        return cls(title, [note for line in lines for note in line.split()])


class Organ:
    def __init__(self, folder):
        self.reloader = Reloader(folder)
        self.scores = {}

    def run(self):
        self.reloader.start()
        for paths in self.reloader.changes():
            for path in paths:
                self.scores[path] = Score.load(path)
            print(len(paths), "scores read", flush=True)
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")


def main():
    folder = tempfile.mkdtemp()
    for number, notes in enumerate(["c d e", "g a b c", "f f g"]):
        with open(os.path.join(folder, f"score{number}.txt"), "w") as target:
            target.write(f"Waltz {number}\n{notes}\n")
    Organ(folder).run()


if __name__ == "__main__":
    main()
