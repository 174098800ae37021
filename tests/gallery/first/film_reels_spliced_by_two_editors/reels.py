# SPDX-License-Identifier: Apache-2.0
"""Reels of a film archive in one large file. A reel is locked by its range of the file, with locks
that belong to the open file and not to the process (fcntl(2), open file description locks)."""

import fcntl
import os
import struct

FLOCK = struct.Struct("hhqqi4x")  # l_type, l_whence, l_start, l_len, l_pid
REEL = 4096


class Reels:
    """One opened archive. Each editor opens its own."""

    def __init__(self, path, count):
        self.file = open(path, "r+b", buffering=0)
        self.count = count

    def _set(self, kind, number):
        lock = FLOCK.pack(kind, os.SEEK_SET, number * REEL, REEL, 0)
        fcntl.fcntl(self.file, fcntl.F_OFD_SETLKW, lock)

    def claim(self, number):
        """Lock a reel for writing; wait while another editor has it."""
        self._set(fcntl.F_WRLCK, number)

    def give_back(self, number):
        self._set(fcntl.F_UNLCK, number)

    def read(self, number):
        return os.pread(self.file.fileno(), REEL, number * REEL)

    def write(self, number, frames):
        os.pwrite(self.file.fileno(), frames.ljust(REEL, b"\0"), number * REEL)

    def close(self):
        self.file.close()


def make_archive(path, count):
    with open(path, "wb") as file:
        for number in range(count):
            file.write((b"reel %d " % number).ljust(REEL, b"."))
