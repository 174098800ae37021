# SPDX-License-Identifier: Apache-2.0
"""Drafts in a folder are looked at every few seconds and saved when they have come to rest."""

import os
import shutil
import threading
import time


class DraftKeeper:
    def __init__(self, folder, shelf):
        self.folder = folder
        self.shelf = shelf
        self.guard = threading.Lock()
        self.dirty = {}
        self.wake = threading.Event()
        self.known = {}
        self.saved = 0

    def look(self):
        while True:
            for name in os.listdir(self.folder):
                stamp = os.stat(os.path.join(self.folder, name)).st_mtime_ns
                if self.known.get(name) != stamp:
                    self.known[name] = stamp
                    with self.guard:
                        self.dirty[name] = time.monotonic()
                    self.wake.set()
            time.sleep(5)

    def save(self):
        while True:
            self.wake.wait()
            self.wake.clear()
            time.sleep(0.3)
            with self.guard:
                names, self.dirty = sorted(self.dirty), {}
            for name in names:
                shutil.copy(os.path.join(self.folder, name), self.shelf)
                self.saved += 1


def main():
    os.makedirs("drafts")
    os.makedirs("shelf")
    for chapter in range(12):
        with open(f"drafts/chapter_{chapter}.txt", "w") as file:
            file.write("It was the year in which the ferry stopped.\n" * chapter)
    keeper = DraftKeeper("drafts", "shelf")
    looking = threading.Thread(target=keeper.look, name="looking")
    saving = threading.Thread(target=keeper.save, name="saving")
    saving.start()
    looking.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    looking.join()
    saving.join()


main()
