# SPDX-License-Identifier: Apache-2.0
"""A collector reads the lines of a sensor program that lives and reports once a minute."""

import os
import subprocess
import sys

SENSOR = """
import time
for number in range(100):
    print(f"temperature {20 + number % 5}", flush=True)
    if number >= 5:
        time.sleep(60)
"""


class Sensor:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SENSOR], stdout=subprocess.PIPE, text=True
        )

    def readings(self):
        for line in self.process.stdout:
            yield float(line.split()[1])


class Collector:
    def __init__(self):
        self.seen = []

    def store(self, reading):
        self.seen.append(reading)
        if len(self.seen) == 6:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


def collect(sensor, collector):
    for reading in sensor.readings():
        collector.store(reading)


def main():
    collect(Sensor(), Collector())


main()
