"""Tide gauge archive: readings in a mapped file of fixed records; a rotation empties it."""

import logging
import mmap
import os
import shutil
import struct
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("tides")
RECORD = struct.Struct("<IhhQ")
LIVE = "gauge.dat"


class Writer:
    """The gauge's own process writes; here it is played by the same one."""

    def __init__(self, path):
        self.path = path
        self.serial = 0

    def append(self, number):
        with open(self.path, "ab") as file:
            for _ in range(number):
                level = (self.serial * 37 % 613) - 300
                file.write(RECORD.pack(self.serial * 60, level, 12, self.serial))
                self.serial += 1


class Reader:
    """Maps the live file once and keeps the map; who follows the file remaps when it grows."""

    def __init__(self, path):
        self.path = path
        self.map = None
        self.records = 0

    def refresh(self):
        size = os.path.getsize(self.path)
        if self.map is not None and size <= len(self.map):
            return
        with open(self.path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.records = size // RECORD.size

    def record(self, index):
        return RECORD.unpack_from(self.map, index * RECORD.size)

    def highest(self, first, last):
        return max(self.record(index)[1] for index in range(first, last))

    def extremes(self, step):
        self.refresh()
        for first in range(0, self.records, step):
            yield first, self.highest(first, min(first + step, self.records))


def copytruncate(path, kept):
    """Rotate as logrotate's copytruncate does: the file stays the same, and empty."""
    shutil.copyfile(path, kept)
    os.truncate(path, 0)
    log.info("rotated into %s", kept)


def main():
    if os.path.exists(LIVE):
        os.unlink(LIVE)
    writer, reader = Writer(LIVE), Reader(LIVE)
    writer.append(4000)
    for first, level in reader.extremes(1000):
        log.info("from %d: %+d cm", first, level)
    writer.append(6000)
    log.info("%d extremes", len(list(reader.extremes(500))))
    copytruncate(LIVE, "gauge.1.dat")
    writer.append(40)
    for first, level in reader.extremes(1000):
        log.info("from %d: %+d cm", first, level)


main()
