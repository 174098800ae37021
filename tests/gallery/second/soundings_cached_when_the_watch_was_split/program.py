# SPDX-License-Identifier: Apache-2.0
"""Depth grids of harbour basins are built once and cached. A warm-up thread builds the first one
when the office splits off a process that answers the pilots."""

import functools
import math
import os
import random
import threading


class Basin:
    """A basin with its soundings: x, y and depth in metres."""

    def __init__(self, name, soundings, progress=None):
        self.name = name
        self.soundings = soundings
        self.progress = progress

    @functools.cached_property
    def depth_grid(self):
        """Depths on a grid of 12 by 12, by inverse distance."""
        grid = []
        for row in range(12):
            if self.progress is not None:
                self.progress(row)
            grid.append([self.depth_near(row * 8.0, column * 8.0) for column in range(12)])
        return grid

    def depth_near(self, x, y):
        weights = total = 0.0
        for sx, sy, depth in self.soundings:
            weight = 1.0 / (1.0 + math.hypot(sx - x, sy - y))
            weights += weight
            total += weight * depth
        return total / weights

    @property
    def shallowest(self):
        return min(min(row) for row in self.depth_grid)


class WarmUp(threading.Thread):
    def __init__(self, soundings):
        super().__init__(name="warm-up", daemon=True)
        self.begun = threading.Event()
        self.split = threading.Event()
        self.basin = Basin("outer", soundings, self.progress)

    def progress(self, row):
        if row == 6:
            self.begun.set()
            self.split.wait()

    def run(self):
        print("outer basin, shallowest:", round(self.basin.shallowest, 2), flush=True)


def survey(seed, count=60):
    dice = random.Random(seed)
    return [(dice.uniform(0, 96), dice.uniform(0, 96), dice.uniform(4, 14)) for _ in range(count)]


def answer_pilots(basin):
    """The pilots' process: tell whether a draught is safe."""
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for draught in (3.5, 7.2):
        print(draught, "safe" if basin.shallowest > draught else "wait for the flood", flush=True)


def split_watch(basin):
    pid = os.fork()
    if pid == 0:
        try:
            answer_pilots(basin)
        finally:
            os._exit(0)
    return pid


def main():
    inner = Basin("inner", survey(2))
    warm_up = WarmUp(survey(1))
    warm_up.start()
    warm_up.begun.wait()
    pilots = split_watch(inner)
    warm_up.split.set()
    warm_up.join()
    os.waitpid(pilots, 0)


main()
