# SPDX-License-Identifier: Apache-2.0
"""A frost alarm for an orchard looks at its sensors every quarter of an hour."""

import os
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

from apscheduler.events import EVENT_JOB_EXECUTED
from apscheduler.schedulers.blocking import BlockingScheduler


class Orchard:
    def __init__(self, rows):
        self.rows = rows
        self.coldest = {}

    def read_sensors(self):
        for row in range(self.rows):
            degrees = 2.0 + random.random() * 4
            self.coldest[row] = min(degrees, self.coldest.get(row, degrees))

    def write_night_report(self):
        lines = [f"row {row}: {degrees:.1f}" for row, degrees in self.coldest.items()]
        Path("night.txt").write_text("\n".join(lines))
        self.coldest.clear()


def first_reading_done(event):
    Path("ready").write_text(f"{os.getpid()}\n")


def main():
    orchard = Orchard(rows=14)
    scheduler = BlockingScheduler(timezone=timezone.utc)
    now = datetime.now(timezone.utc) + timedelta(seconds=0.2)
    scheduler.add_job(orchard.read_sensors, "interval", minutes=15, next_run_time=now)
    scheduler.add_job(orchard.write_night_report, "cron", hour=6, minute=30)
    scheduler.add_listener(first_reading_done, EVENT_JOB_EXECUTED)
    scheduler.start()


if __name__ == "__main__":
    main()
