# SPDX-License-Identifier: Apache-2.0
"""The control room of a boiler house shows the pressures that its gauges tell."""

import collections
import statistics
import threading
import time

import gauge


class Boiler:
    def __init__(self, number, limit):
        self.number = number
        self.limit = limit
        self.pressures = collections.deque(maxlen=500)
        self.alarms = 0
        self.lock = threading.Lock()

    def pressure_changed(self, which, pressure):
        with self.lock:
            self.pressures.append((time.monotonic(), which, pressure))
            if pressure > self.limit:
                self.alarms += 1

    def summary(self):
        with self.lock:
            values = [pressure for _, _, pressure in self.pressures]
        if len(values) < 2:
            return f"boiler {self.number}: quiet"
        mean, deviation = statistics.mean(values), statistics.stdev(values)
        return f"boiler {self.number}: {mean:.2f} +- {deviation:.2f}"


class ControlRoom:
    def __init__(self):
        self.boilers = [Boiler(number, 5.5 + number) for number in range(6)]
        for boiler in self.boilers:
            gauge.subscribe(boiler.number, boiler.pressure_changed)

    def shift(self, rounds):
        gauge.start()
        for number in range(rounds):
            time.sleep(0.1)
            board = "\n".join(boiler.summary() for boiler in self.boilers)
            print(f"round {number}\n{board}", flush=True)
        gauge.stop()


def main():
    ControlRoom().shift(100)


main()
