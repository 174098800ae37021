# SPDX-License-Identifier: Apache-2.0
"""Follows a web server's access log and keeps counts per page; sends them on every minute."""

import collections
import os
import re
import threading
import time
from pathlib import Path

LINE = re.compile(r'"(?:GET|POST) (?P<page>\S+) HTTP/[\d.]+" (?P<status>\d{3})')


def follow(path, pause=0.5):
    """Yields lines as they are written, also after the file was replaced."""
    file = open(path)
    inode = os.fstat(file.fileno()).st_ino
    while True:
        line = file.readline()
        if line:
            yield line
            continue
        try:
            if os.stat(path).st_ino != inode:
                file.close()
                file = open(path)
                inode = os.fstat(file.fileno()).st_ino
                continue
        except FileNotFoundError:
            pass  # between two files
        time.sleep(pause)


class Counts:
    def __init__(self):
        self._pages = collections.Counter()
        self._lock = threading.Lock()

    def add(self, page):
        with self._lock:
            self._pages[page] += 1

    def take(self):
        with self._lock:
            pages, self._pages = self._pages, collections.Counter()
        return pages


def send_on(counts, stop):
    while not stop.wait(60):
        print(counts.take().most_common(10), flush=True)


def main():
    log = Path("access.log")
    log.write_text(
        "".join(f'10.0.0.{n} - - "GET /page/{n % 7} HTTP/1.1" 200 512\n' for n in range(200))
    )
    counts, stop = Counts(), threading.Event()
    threading.Thread(target=send_on, args=(counts, stop), name="sender", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for line in follow(log):
        found = LINE.search(line)
        if found and found["status"] == "200":
            counts.add(found["page"])


if __name__ == "__main__":
    main()
