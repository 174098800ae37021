# SPDX-License-Identifier: Apache-2.0
"""The beds of a palm house are watered at their hours."""

import os
import time
from pathlib import Path

import schedule

litres = {"ferns": 0, "palms": 0, "orchids": 0}


def water(bed, amount):
    litres[bed] += amount


def run_until_winter():
    while schedule.get_jobs():
        pause = schedule.idle_seconds()
        if pause > 0:
            time.sleep(pause)
        schedule.run_pending()


def main():
    schedule.every(40).minutes.do(water, "ferns", 12)
    schedule.every(3).hours.do(water, "palms", 60)
    schedule.every().day.at("06:30").do(water, "orchids", 4)
    schedule.run_all()
    Path("ready").write_text(f"{os.getpid()}\n")
    run_until_winter()


if __name__ == "__main__":
    main()
