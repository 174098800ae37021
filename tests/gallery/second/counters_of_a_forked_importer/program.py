# SPDX-License-Identifier: Apache-2.0
"""Imports customer files in child processes; counters are sent from a thread."""

import multiprocessing
import os
import threading
import time
from collections import Counter
from pathlib import Path


class Metrics:
    """Counts, and sends the counts in the background."""

    def __init__(self, period):
        self.period = period
        self.counts = Counter()
        self.mutex = threading.Lock()
        self.sender = threading.Thread(target=self.send_loop, daemon=True)
        self.sending = threading.Event()

    def incr(self, name, number=1):
        with self.mutex:
            self.counts[name] += number

    def send_loop(self):
        while True:
            with self.mutex:
                packet = ",".join(f"{key}:{value}" for key, value in self.counts.items())
                self.sending.set()
                time.sleep(self.period)  # the collector acknowledges slowly
                self.counts.clear()
            time.sleep(self.period)
            del packet


METRICS = Metrics(1.0)


def import_file(name):
    Path("ready").write_text(f"{os.getpid()}\n")
    for row in range(1000):
        METRICS.incr(f"rows.{name}")


def main():
    METRICS.incr("started")
    METRICS.sender.start()
    METRICS.sending.wait()
    importer = multiprocessing.Process(target=import_file, args=("customers_emea",))
    importer.start()
    importer.join()
    print(METRICS.counts)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
