# SPDX-License-Identifier: Apache-2.0
"""Scanned pages are read by a process of their own, because the reader's library may fall over."""

import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def read_text(page):
    time.sleep(0.4)
    if page[:4] != b"SCAN":
        os._exit(3)
    return len(page)


def pages():
    for number in range(6):
        yield (b"SCAN" if number else b"\0\0\0\0") + bytes([number]) * (1 << 20)


def tell_later():
    threading.Event().wait(3)
    ready()


def main():
    threading.Thread(target=tell_later, daemon=True).start()
    with ProcessPoolExecutor(1) as reader:
        found = [reader.submit(read_text, page) for page in pages()]
        for each in found:
            try:
                print(each.result(), flush=True)
            except BrokenProcessPool:
                print("no text", flush=True)


if __name__ == "__main__":
    main()
