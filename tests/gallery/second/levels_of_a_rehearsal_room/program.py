# SPDX-License-Identifier: Apache-2.0
"""Measures how loud the rehearsal rooms of a music school are."""

import statistics
import time

from sound import Meter

ROOMS = ["strings", "brass", "percussion"]


def wait_for_blocks(meter, count):
    while meter.blocks < count:
        time.sleep(0.01)


def calibrate(room):
    """Return the peak of a silent moment in a room."""
    meter = Meter(room)
    wait_for_blocks(meter, 3)
    return meter.peak


def measure(room):
    with Meter(room) as meter:
        wait_for_blocks(meter, 12)
        return meter.peak


def main():
    floor = statistics.mean(calibrate(room) for room in ROOMS)
    for room in ROOMS:
        print(room, round(measure(room) - floor, 3), flush=True)
    time.sleep(1)


if __name__ == "__main__":
    main()
