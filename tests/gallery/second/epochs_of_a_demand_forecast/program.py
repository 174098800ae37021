# SPDX-License-Identifier: Apache-2.0
"""Fits a forecast of demand; threads load the weeks ahead of it."""

import math
import os
import queue
import random
import threading
from pathlib import Path

WEEKS = 48


class Loader(threading.Thread):
    def __init__(self, number, batches, weeks):
        super().__init__(name=f"loader-{number}", daemon=True)
        self.batches, self.weeks = batches, weeks

    def run(self):
        for week in self.weeks:
            noise = random.Random(week)
            rows = [(day, 40 + 12 * math.sin(day / 7) + noise.gauss(0, 2)) for day in range(7 * 24)]
            self.batches.put((week, rows))


class Forecast:
    def __init__(self, waves):
        self.amplitudes = [0.0] * waves
        self.losses = []

    def value(self, day):
        return sum(a * math.sin(day * n / 7) for n, a in enumerate(self.amplitudes))

    def fit(self, rows, epochs, rate=1e-4):
        for epoch in range(epochs):
            loss = 0.0
            for day, demand in rows:
                error = self.value(day) - demand
                loss += error * error
                for n in range(len(self.amplitudes)):
                    self.amplitudes[n] -= rate * error * math.sin(day * n / 7)
            self.losses.append(loss / len(rows))


def main():
    batches = queue.Queue(maxsize=2)
    loaders = [Loader(number, batches, range(number, WEEKS, 3)) for number in range(3)]
    for loader in loaders:
        loader.start()
    forecast = Forecast(12)
    Path("ready").write_text(f"{os.getpid()}\n")
    for _ in range(WEEKS):
        week, rows = batches.get()
        forecast.fit(rows, epochs=1500)
        print(week, forecast.losses[-1], flush=True)


if __name__ == "__main__":
    main()
