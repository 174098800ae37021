# SPDX-License-Identifier: Apache-2.0
"""Runs the reports of an office at their times of the night."""

import os
import sched
import time
from pathlib import Path


class Schedule:
    def __init__(self):
        self.scheduler = sched.scheduler(time.time, time.sleep)
        self.history = []

    def every(self, seconds, first, report):
        self.scheduler.enter(first, 1, self.run_report, (seconds, report))

    def run_report(self, seconds, report):
        self.history.append((time.time(), report(len(self.history))))
        self.scheduler.enter(seconds, 1, self.run_report, (seconds, report))

    def run(self):
        self.scheduler.run()


def occupancy(number):
    return {"report": "occupancy", "number": number, "rooms": number * 7 % 40}


def takings(number):
    return {"report": "takings", "number": number, "cents": number * 9931}


if __name__ == "__main__":
    night = Schedule()
    night.every(3600, 0.1, occupancy)
    night.every(86400, 0.2, takings)
    Path("ready").write_text(f"{os.getpid()}\n")
    night.run()
