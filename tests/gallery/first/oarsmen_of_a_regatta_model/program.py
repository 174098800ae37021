# SPDX-License-Identifier: Apache-2.0
"""Simulates a boat of three oarsmen, each its own process, stroke by stroke."""

import multiprocessing
import os
from pathlib import Path

context = multiprocessing.get_context("fork")
FORCES = {"bow": [410, 405, 398], "middle": [455, 449, 0], "stroke": [430, 428, 421]}


class Oarsman(context.Process):
    def __init__(self, seat, catch, distance):
        super().__init__(name=seat)
        self.catch = catch
        self.distance = distance

    def pull(self, force):
        drag = 0.01 + 4.1 / force
        with self.distance.get_lock():
            self.distance.value += 3 * (1 - drag)

    def run(self):
        for number, force in enumerate(FORCES[self.name]):
            self.pull(force)
            if self.name == "bow" and number == 2:
                Path("ready").write_text(f"{os.getpid()}\n")
            self.catch.wait()


def main():
    catch = context.Barrier(len(FORCES))
    distance = context.Value("d", 0.0)
    crew = [Oarsman(seat, catch, distance) for seat in FORCES]
    for oarsman in crew:
        oarsman.start()
    for oarsman in crew:
        oarsman.join()
    print(f"{distance.value:.2f} m")


if __name__ == "__main__":
    main()
