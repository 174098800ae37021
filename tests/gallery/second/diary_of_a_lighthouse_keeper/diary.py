# SPDX-License-Identifier: Apache-2.0
"""A diary in a file that several programs may write."""

import fcntl
import os
from contextlib import contextmanager


@contextmanager
def locked(path):
    """Hold the lock that belongs to a file."""
    handle = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class Diary:
    def __init__(self, path, most_lines=50):
        self.path = path
        self.most_lines = most_lines
        self._lines = 0

    def write(self, text):
        with locked(self.path):
            with open(self.path, "a") as pages:
                pages.write(text + "\n")
            self._lines += 1
            if self._lines > self.most_lines:
                self.bind()

    def bind(self):
        """Put the pages away as a volume and begin with empty ones."""
        with locked(self.path):
            volume = f"{self.path}.{len(os.listdir(os.path.dirname(self.path)))}"
            os.replace(self.path, volume)
            self._lines = 0
