# SPDX-License-Identifier: Apache-2.0
"""One file with recordings of equal size behind each other."""

import threading


class Tape:
    def __init__(self, path, recordings, size):
        with open(path, "wb") as file:
            file.truncate(recordings * size)  # silence, until something is recorded
        self._file = open(path, "rb")
        self._head = threading.Lock()  # the file has one position
        self.size = size

    def place(self, number):
        return number * self.size, self.size

    def copy(self, start, size, target):
        with self._head:
            self._file.seek(start)
            while size > 0:
                block = self._file.read(min(size, 1 << 16))
                target.write(block)
                size -= len(block)
