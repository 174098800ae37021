# SPDX-License-Identifier: Apache-2.0
"""Nightly load: parts are read one by one, a summary is prepared beside it in a pool."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

PARTS = {"north": 31, "south": 17, "west": 48}


class Load:
    def __init__(self):
        self.totals = {}
        self.complete = threading.Event()

    def read_part(self, name):
        time.sleep(0.05)
        self.totals[name] = sum(range(PARTS[name]))

    def summarise(self):
        self.complete.wait()
        return ", ".join("%s %d" % item for item in sorted(self.totals.items()))


def announce():
    time.sleep(0.6)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    load = Load()
    with ThreadPoolExecutor(max_workers=4, thread_name_prefix="load") as pool:
        summary = pool.submit(load.summarise)
        pool.submit(announce)
        for done in [pool.submit(load.read_part, name) for name in PARTS]:
            done.result()
    load.complete.set()
    print(summary.result())


main()
