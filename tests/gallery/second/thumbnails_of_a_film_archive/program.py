# SPDX-License-Identifier: Apache-2.0
"""Thumbnails of the films of an archive."""

import os
import threading
from pathlib import Path

from workers import Helper, Order


def thumbnail(order):
    if order.second > 3600:
        os._exit(137)  # a decoder that takes too much memory ends like this
    return bytes((order.second + n) % 256 for n in range(order.width * 9 // 16))


class Archive:
    def __init__(self, helper):
        self.helper = helper
        self._lock = threading.Lock()
        self._thumbnails = {}

    def thumbnails(self, film, seconds):
        for second in seconds:
            with self._lock:
                order = Order(film, second, 320)
                self._thumbnails[film, second] = self.helper.ask(order)
        return len(self._thumbnails)


def main():
    archive = Archive(Helper(thumbnail))
    print(archive.thumbnails("harbour, 1931", range(0, 600, 60)), flush=True)
    Path("ready").write_text(f"{os.getpid()}\n")
    print(archive.thumbnails("regatta, 1954", range(0, 5400, 600)), flush=True)


if __name__ == "__main__":
    main()
