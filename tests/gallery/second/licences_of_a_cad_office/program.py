# SPDX-License-Identifier: Apache-2.0
"""Drawings are converted by workers that each take a licence when they begin."""

import os
import queue
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

mine = threading.local()


class LicencePool:
    def __init__(self, keys):
        self._free = queue.LifoQueue()
        for key in keys:
            self._free.put(key)

    def check_out(self):
        return self._free.get()


def begin_worker(licences):
    mine.licence = licences.check_out()


def convert(number):
    time.sleep(0.15)
    return mine.licence, zlib.crc32(b"LINE 0,0 1,1\n" * number)


def main():
    licences = LicencePool(["CAD-0177", "CAD-0178"])
    with ThreadPoolExecutor(3, "converter", begin_worker, (licences,)) as converters:
        drawings = converters.map(convert, range(1, 7))
        Path("ready").write_text(f"{os.getpid()}\n")
        for licence, checksum in drawings:
            print(licence, f"{checksum:08x}")
    print("all converted")


if __name__ == "__main__":
    main()
