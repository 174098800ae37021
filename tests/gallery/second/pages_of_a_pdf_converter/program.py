# SPDX-License-Identifier: Apache-2.0
"""Converts pages: sends them to a helper program and takes back what it makes of them."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path


class Converter:
    def __init__(self):
        self.helper = subprocess.Popen(
            [sys.executable, "helper.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def convert(self, pages):
        for page in pages:
            self.helper.stdin.write(page)
        self.helper.stdin.close()
        return self.helper.stdout.readlines()


def make_pages(count):
    for number in range(count):
        yield (f"page {number} " + "lorem ipsum " * 40).encode() + b"\n"


def heartbeat(state):
    while True:
        state["beat"] = time.time()
        time.sleep(0.5)


def mail(outbox, finished):
    finished.wait()
    print("mailed", len(outbox))


def main():
    outbox, finished = [], threading.Event()
    threading.Thread(target=heartbeat, args=({},), name="heartbeat", daemon=True).start()
    threading.Thread(target=mail, args=(outbox, finished), name="mailer", daemon=True).start()
    converter = Converter()
    Path("ready").write_text(f"{os.getpid()}\n")
    outbox += converter.convert(make_pages(2000))
    finished.set()


if __name__ == "__main__":
    main()
