# SPDX-License-Identifier: Apache-2.0
"""Tells who of an office uses most of the shared drive."""

import os
import threading
from pathlib import Path

from tree import File, Folder


class Progress(threading.Thread):
    def __init__(self):
        super().__init__(name="progress", daemon=True)
        self.finished = threading.Event()

    def run(self):
        while not self.finished.wait(600):
            print("still scanning", flush=True)


def home_of(person, files):
    pictures = Folder("pictures", *(File(f"{n}.jpg", 4000 + n) for n in range(files)))
    return Folder(person, pictures, File("notes.txt", 812))


def report(drive):
    shares = sorted(drive.folders, key=lambda each: each.size, reverse=True)
    return [(each.name, each.size) for each in shares]


def main():
    drive = Folder("office", home_of("amelie", 40), home_of("bertram", 12), home_of("chloe", 77))
    progress = Progress()
    progress.start()
    print("depth", drive.depth, flush=True)
    Path("ready").write_text(f"{os.getpid()}\n")
    for name, size in report(drive):
        print(name, size)
    progress.finished.set()


if __name__ == "__main__":
    main()
