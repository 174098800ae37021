# SPDX-License-Identifier: Apache-2.0
"""Notes down the wagons of very long trains, one after the other along their couplings."""

import os
from pathlib import Path


class Wagon:
    def __init__(self, behind):
        self.axles = 4
        self.behind = behind


class Note:
    def __init__(self, axles):
        self.axles = axles
        self.checked = True
        self.remark = "sound"


def train(length):
    first = None
    for _ in range(length):
        first = Wagon(first)
    return first


def notes(wagon):
    noted = []
    while wagon is not None:
        noted.append(Note(wagon.axles))
        wagon = wagon.behind
    return noted


def main():
    first = train(400_000)
    Path("ready").write_text(f"{os.getpid()}\n")
    for turn in range(400):
        print(turn, len(notes(first)))


if __name__ == "__main__":
    main()
