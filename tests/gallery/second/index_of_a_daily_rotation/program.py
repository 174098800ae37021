# SPDX-License-Identifier: Apache-2.0
"""A parcel tracker answers from a mapped index; a housekeeper rotates the index each night."""

import ctypes
import os
import struct
import threading
import time

ENTRY = struct.Struct("<II")
library = ctypes.CDLL(os.path.abspath("lookup.so"))
library.index_open.argtypes = [ctypes.c_char_p]
library.index_open.restype = ctypes.c_void_p
library.index_find.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
library.index_find.restype = ctypes.c_long


class Index:
    def __init__(self, path):
        self.path = path
        self.handle = library.index_open(os.fsencode(path))
        if not self.handle:
            raise FileNotFoundError(path)

    def find(self, number):
        return library.index_find(self.handle, number)


class Housekeeper(threading.Thread):
    """Keeps the newest parcels only."""

    def __init__(self, path, keep):
        super().__init__(name="housekeeper", daemon=True)
        self.path = path
        self.keep = keep
        self.rotations = 0

    def run(self):
        time.sleep(0.3)
        with open(self.path, "rb") as file:
            newest = file.read()[-self.keep * ENTRY.size :]
        with open(self.path, "wb") as file:
            file.write(newest)
        self.rotations += 1


class Tracker(threading.Thread):
    def __init__(self, index, first, count):
        super().__init__(name=f"tracker-{first % 7}", daemon=True)
        self.index = index
        self.first = first
        self.count = count
        self.found = self.lost = 0

    def run(self):
        until = time.monotonic() + 3
        number = self.first
        while time.monotonic() < until:
            number = (number * 1103515245 + 12345) % (3 * self.count)
            if self.index.find(number) < 0:
                self.lost += 1
            else:
                self.found += 1


def write_index(path, count):
    with open(path, "wb") as file:
        for number in range(count):
            file.write(ENTRY.pack(3 * number, 128 * number))


def main():
    write_index("parcels.idx", 60_000)
    index = Index("parcels.idx")
    trackers = [Tracker(index, first, 60_000) for first in (11, 23, 36)]
    Housekeeper("parcels.idx", 900).start()
    for tracker in trackers:
        tracker.start()
    for tracker in trackers:
        tracker.join()
    print(sum(tracker.found for tracker in trackers), sum(t.lost for t in trackers))


main()
