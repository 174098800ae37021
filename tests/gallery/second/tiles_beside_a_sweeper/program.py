# SPDX-License-Identifier: Apache-2.0
"""A map server keeps tiles in a folder that one writer locks; a forked sweeper removes old ones."""

import fcntl
import os
import time


class TileStore:
    def __init__(self, folder):
        self.folder = folder
        self.lock_file = None
        os.makedirs(folder, exist_ok=True)

    def lock_for_writing(self):
        self.lock_file = open(os.path.join(self.folder, "tiles.lock"), "w")
        fcntl.flock(self.lock_file, fcntl.LOCK_EX)

    def unlock(self):
        self.lock_file.close()
        self.lock_file = None

    def write_tile(self, column, row, pixels):
        with open(os.path.join(self.folder, "%d-%d" % (column, row)), "wb") as file:
            file.write(pixels)

    def sweep_for_ever(self):
        while True:
            time.sleep(600)
            for name in os.listdir(self.folder):
                if "-" in name:
                    os.unlink(os.path.join(self.folder, name))

    def start_sweeper(self):
        child = os.fork()
        if child == 0:
            self.sweep_for_ever()
        return child


def main():
    store = TileStore("tiles")
    store.lock_for_writing()
    store.write_tile(0, 0, bytes(64))
    store.start_sweeper()
    store.unlock()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    store.lock_for_writing()
    store.write_tile(0, 1, bytes(64))
    store.unlock()
    print("written")


main()
