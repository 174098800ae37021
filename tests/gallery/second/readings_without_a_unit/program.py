# SPDX-License-Identifier: Apache-2.0
"""A batch that converts the meter readings of a district; two threads take them from a queue."""

import os
import queue
import threading

FACTORS = {"kWh": 1.0, "MWh": 1000.0, "MJ": 1 / 3.6}


class Converter(threading.Thread):
    def __init__(self, number, readings, totals):
        super().__init__(name="converter-%d" % number, daemon=True)
        self.readings, self.totals = readings, totals
        self.skipped = []

    def run(self):
        while True:
            meter, value, unit = self.readings.get()
            if unit not in FACTORS:
                self.skipped.append(meter)
                continue
            self.totals[meter] = self.totals.get(meter, 0) + value * FACTORS[unit]
            self.readings.task_done()


def convert(rows):
    readings, totals = queue.Queue(), {}
    for number in range(2):
        Converter(number, readings, totals).start()
    for row in rows:
        readings.put(row)
    readings.join()
    return totals


def main():
    rows = [("meter-%03d" % (number % 40), number * 0.25, "kWh") for number in range(200)]
    rows[17] = ("meter-017", 4.25, "")
    rows[121] = ("meter-001", 30.25, "m3")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(sum(convert(rows).values()))


main()
