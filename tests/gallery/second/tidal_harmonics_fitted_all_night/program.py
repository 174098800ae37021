# SPDX-License-Identifier: Apache-2.0
"""A hydrographic office fits tidal constituents to years of levels, harbour after harbour."""

import math
import os
import random
import threading

SPEEDS = {"M2": 28.984, "S2": 30.0, "N2": 28.440, "K1": 15.041, "O1": 13.943}  # degrees an hour


class Harbour:
    def __init__(self, name, seed, hours=2000):
        chance = random.Random(seed)
        self.name = name
        self.levels = [
            math.cos(math.radians(SPEEDS["M2"] * h)) + chance.gauss(0, 0.05) for h in range(hours)
        ]


class Fit:
    """Plain gradient descent, as somebody wrote it in 1994."""

    def __init__(self, harbour, rate=0.05):
        self.harbour = harbour
        self.rate = rate
        self.terms = {name: [0.0, 0.0] for name in SPEEDS}
        self.steps = 0

    def predict(self, hour):
        level = 0.0
        for name, (a, b) in self.terms.items():
            angle = math.radians(SPEEDS[name] * hour)
            level += a * math.cos(angle) + b * math.sin(angle)
        return level

    def step(self):
        gradient = {name: [0.0, 0.0] for name in SPEEDS}
        error = 0.0
        for hour, level in enumerate(self.harbour.levels):
            off = self.predict(hour) - level
            error += off * off
            for name, pair in gradient.items():
                angle = math.radians(SPEEDS[name] * hour)
                pair[0] += off * math.cos(angle)
                pair[1] += off * math.sin(angle)
        number = len(self.harbour.levels)
        for name, (a, b) in gradient.items():
            self.terms[name][0] -= self.rate * a / number
            self.terms[name][1] -= self.rate * b / number
        self.steps += 1
        return error / number


class Progress(threading.Thread):
    """Writes what is done into a file that the night watch reads."""

    def __init__(self):
        super().__init__(name="progress", daemon=True)
        self.done = []
        self.fit = None

    def run(self):
        pause = threading.Event()
        while not pause.wait(1.0):
            with open("progress.txt", "w") as file:
                steps = self.fit.steps if self.fit else 0
                file.write("%d harbours, %d steps of the next\n" % (len(self.done), steps))


def main():
    progress = Progress()
    progress.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for number in range(4000):
        fit = progress.fit = Fit(Harbour("harbour-%04d" % number, number))
        for _ in range(60):
            error = fit.step()
        progress.done.append((fit.harbour.name, error))


main()
