# SPDX-License-Identifier: Apache-2.0
"""Keeps pages of reports for readers that come back with a cursor."""

import os
import queue
import threading
import time
from pathlib import Path


class ReportCache:
    def __init__(self):
        self.lock = threading.Lock()
        self.pages = {}
        self.readers = {}

    def store(self, key, rows):
        with self.lock:
            self.pages[key] = [{"row": n, "cells": [key, n, [n] * 3]} for n in range(rows)]

    def open(self, key, name):
        cursor = Cursor(self, key, name)
        with self.lock:
            self.readers[name] = key
        return cursor

    def forget(self, name):
        with self.lock:
            self.readers.pop(name, None)


class Cursor:
    def __init__(self, cache, key, name):
        self.cache, self.key, self.name = cache, key, name
        self.steps = [self.advance]
        self.position = 0

    def advance(self):
        self.position += 1

    def __del__(self):
        self.cache.forget(self.name)


def read_reports(cache):
    for number in range(10**6):
        cache.store(f"report-{number % 20}", 60)
        cursor = cache.open(f"report-{number % 20}", f"reader-{number}")
        for step in cursor.steps:
            step()


def heartbeat(beats):
    while True:
        beats.put(time.time())
        time.sleep(0.4)


def write_beats(beats):
    while True:
        Path("beat").write_text(f"{beats.get()}\n")


def main():
    cache, beats = ReportCache(), queue.Queue()
    for work in (heartbeat, write_beats):
        threading.Thread(target=work, args=(beats,), daemon=True).start()
    reader = threading.Thread(target=read_reports, args=(cache,), name="reader")
    reader.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    reader.join()


if __name__ == "__main__":
    main()
