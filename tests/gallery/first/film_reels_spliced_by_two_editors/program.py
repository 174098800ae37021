# SPDX-License-Identifier: Apache-2.0
"""Two editors of a film archive splice reels: the tail of one goes in front of another. Each locks
the reel that it takes from, looks at it, and then the reel that it splices into."""

import os
import queue
import sys
import threading

from reels import Reels, make_archive

ARCHIVE = "archive.reels"
COUNT = 6


class Editor(threading.Thread):
    def __init__(self, name, jobs, viewing):
        super().__init__(name=name)
        self.reels = Reels(ARCHIVE, COUNT)
        self.jobs = jobs
        self.viewing = viewing
        self.spliced = []

    def run(self):
        while True:
            try:
                source, target = self.jobs.get_nowait()
            except queue.Empty:
                break
            self.splice(source, target)
        self.reels.close()

    def splice(self, source, target):
        """Put the tail of one reel in front of another."""
        self.reels.claim(source)
        try:
            tail = self.view(source)[-512:]
            self.reels.claim(target)
            try:
                self.reels.write(target, (tail + self.reels.read(target))[:4096])
            finally:
                self.reels.give_back(target)
        finally:
            self.reels.give_back(source)
        self.spliced.append((source, target))
        print(f"{self.name}: {source} -> {target}", flush=True)

    def view(self, number):
        """Both editors sit in the viewing room at the same time."""
        frames = self.reels.read(number)
        self.viewing.wait()
        return frames


def jobs_of(*pairs):
    jobs = queue.SimpleQueue()
    for pair in pairs:
        jobs.put(pair)
    return jobs


def main():
    make_archive(ARCHIVE, COUNT)
    viewing = threading.Barrier(2)
    editors = [
        Editor("editor-blum", jobs_of((0, 1), (2, 3)), viewing),
        Editor("editor-kraus", jobs_of((4, 5), (3, 2)), viewing),
    ]
    for editor in editors:
        editor.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for editor in editors:
        editor.join()
    print(sum(len(editor.spliced) for editor in editors), "splices")
    return 0


if __name__ == "__main__":
    sys.exit(main())
