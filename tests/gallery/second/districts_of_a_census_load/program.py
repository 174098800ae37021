# SPDX-License-Identifier: Apache-2.0
"""Loads the census: a process for each district counts and hands over its households."""

import multiprocessing
import os
import threading
import time
from pathlib import Path

DISTRICTS = ["north", "harbour", "old town"]


def count_district(name, households, found):
    for number in range(households):
        found.put((name, number, f"{name} street {number % 90}", 1 + number % 6))
    found.put((name, None, None, None))


def show_progress(done, started):
    while not done.wait(0.5):
        elapsed = time.monotonic() - started
        Path("progress").write_text(f"{elapsed:.1f}\n")


def collect(found, districts):
    people = dict.fromkeys(districts, 0)
    open_districts = set(districts)
    while open_districts:
        name, number, _, size = found.get()
        if number is None:
            open_districts.discard(name)
        else:
            people[name] += size
    return people


def main():
    context = multiprocessing.get_context("fork")
    found = context.Queue()
    counters = [
        context.Process(target=count_district, args=(name, 9000, found), name=f"count-{name}")
        for name in DISTRICTS
    ]
    for counter in counters:
        counter.start()
    done = threading.Event()
    threading.Thread(target=show_progress, args=(done, time.monotonic()), daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for counter in counters:
        counter.join()
    print(collect(found, DISTRICTS))
    done.set()


if __name__ == "__main__":
    main()
