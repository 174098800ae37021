# SPDX-License-Identifier: Apache-2.0
"""The heat in a metal plate, relaxed by four threads that meet after every sweep."""

import os
import threading
from array import array

WIDTH, HEIGHT, STRIPS = 24, 32, 4
TOLERANCE = 0.004


class Plate:
    def __init__(self):
        self.old = [array("d", [20.0] * WIDTH) for _ in range(HEIGHT)]
        self.new = [array("d", row) for row in self.old]
        for grid in (self.old, self.new):
            grid[0] = array("d", [300.0] * WIDTH)

    def swap(self):
        self.old, self.new = self.new, self.old


def relax(plate, first, last):
    largest = 0.0
    for y in range(max(first, 1), min(last, HEIGHT - 1)):
        above, row, below, target = (*plate.old[y - 1 : y + 2], plate.new[y])
        for x in range(1, WIDTH - 1):
            value = (above[x] + below[x] + row[x - 1] + row[x + 1]) / 4
            largest = max(largest, abs(value - row[x]))
            target[x] = value
    return largest


def sweep(plate, strip, meeting, sweeps):
    height = HEIGHT // STRIPS
    first = strip * height
    while True:
        change = relax(plate, first, first + height)
        sweeps[strip] += 1
        if sweeps[strip] > 5 and change < TOLERANCE:
            return
        meeting.wait()


def main():
    plate = Plate()
    meeting = threading.Barrier(STRIPS, action=plate.swap)
    sweeps = [0] * STRIPS
    crew = [
        threading.Thread(target=sweep, args=(plate, strip, meeting, sweeps), name=f"strip-{strip}")
        for strip in range(STRIPS)
    ]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for each in crew:
        each.start()
    for each in crew:
        each.join()
    print("relaxed after", max(sweeps), "sweeps")


main()
