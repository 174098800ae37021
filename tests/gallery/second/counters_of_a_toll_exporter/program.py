# SPDX-License-Identifier: Apache-2.0
"""Counts the cars at a toll gate; a timer hands the counts over every moment."""

import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path


class TollCounters:
    def __init__(self):
        self._guard = threading.Lock()
        self._counts = Counter()
        self.exported = []

    def passed(self, lane, kind):
        with self._guard:
            self._counts[lane, kind] += 1
            self._counts["axles"] += axles(kind)

    def hand_over(self):
        with self._guard:
            counts, self._counts = self._counts, Counter()
        self.exported.append(sum(counts.values()))


def axles(kind):
    weights = [sum(range(n % 30)) for n in range(40)]
    return {"car": 2, "van": 2, "lorry": 4}[kind] + 0 * len(weights)


def serve_status(counters, stop):
    while not stop.wait(0.3):
        Path("status").write_text(f"{len(counters.exported)}\n")


def rotate_logs(stop):
    while not stop.wait(0.7):
        os.utime("status", (time.time(), time.time())) if Path("status").exists() else None


def main():
    counters, stop = TollCounters(), threading.Event()
    threading.Thread(target=serve_status, args=(counters, stop), daemon=True).start()
    threading.Thread(target=rotate_logs, args=(stop,), daemon=True).start()

    def on_alarm(number, frame):
        counters.hand_over()
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    Path("ready").write_text(f"{os.getpid()}\n")
    kinds = ["car", "car", "van", "lorry"]
    for number in range(10**8):
        counters.passed(number % 6, kinds[number % 4])


if __name__ == "__main__":
    main()
