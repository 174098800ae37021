# SPDX-License-Identifier: Apache-2.0
"""Runs the cues of a show; a guard in C looks that the loop of the desk goes on."""

import ctypes
import os
import time

from lamps import Desk, Line

guard = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "guard.so"))
guard.guard_report.restype = None

CUES = [
    ("curtain", {1: 20, 2: 20, 3: 0}),
    ("storm", {1: 90, 2: 10, 3: 100}),
    ("lightning", {1: 0, 3: 110}),
    ("dawn", {1: 40, 2: 60, 3: 50}),
]


def fade(desk, targets):
    for lamp, target in targets.items():
        start = desk.levels.get(lamp, 0)
        for step in range(1, 6):
            desk.set_level(lamp, start + (target - start) * step // 5)
            guard.guard_report()
            time.sleep(0.01)


def main():
    line = Line()
    line.start()
    desk = Desk(line)
    guard.guard_start(1500)
    for name, targets in CUES:
        print("cue", name, flush=True)
        fade(desk, targets)


if __name__ == "__main__":
    main()
