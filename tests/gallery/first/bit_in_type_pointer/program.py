# SPDX-License-Identifier: Apache-2.0
"""A bit of the type pointer of one object was flipped from outside; the next attribute access
follows it.
"""

import json
import os


class Sensor:
    def __init__(self, number):
        self.number = number
        self.history = [number]


def scan(sensors):
    return [sensor.number + len(sensor.history) for sensor in sensors]


def main():
    sensors = [Sensor(n) for n in range(300)]
    print(sum(scan(sensors)))
    victim = id(sensors[123]) + 8
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 44]]}) + "\n")
    input()
    print(sum(scan(sensors)))


main()
