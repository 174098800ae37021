# SPDX-License-Identifier: Apache-2.0
"""Sends scans to the head office over a thin line: one at a time, as fast as the line allows."""

import os
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SCANS = [(f"scan-{number:04d}.tif", 60_000 + number * 100) for number in range(200)]


class Line:
    """The line to the head office; whoever sends has it for the whole scan."""

    def __init__(self, bytes_per_second):
        self.bytes_per_second = bytes_per_second
        self.turn = threading.Lock()
        self.sent = 0
        self.last_name = None

    def send(self, name, packed):
        with self.turn:
            self.last_name = name
            for start in range(0, len(packed), 4096):
                part = packed[start : start + 4096]
                time.sleep(len(part) / self.bytes_per_second)
                self.sent += len(part)


def send_scan(line, name, size):
    packed = zlib.compress(os.urandom(size), 6)
    line.send(name, packed)
    return name, len(packed)


def main():
    line = Line(24_000)
    with ThreadPoolExecutor(4, thread_name_prefix="sender") as pool:
        jobs = [pool.submit(send_scan, line, *scan) for scan in SCANS]
        Path("ready").write_text(f"{os.getpid()}\n")
        for job in jobs:
            print(*job.result(), flush=True)


if __name__ == "__main__":
    main()
