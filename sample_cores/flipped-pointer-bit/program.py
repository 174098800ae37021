# SPDX-License-Identifier: Apache-2.0
"""Readings in a list and in an index; the list loses one bit of one pointer from outside."""

from __future__ import annotations

import os
import threading
import time

COUNT = 400
SETTLE_SECONDS = 0.3  # so that the other thread has reached the place where it waits


class Reading:
    """One measured value."""

    __slots__ = ("sensor", "value")

    def __init__(self, sensor, value):
        self.sensor = sensor
        self.value = value


class Station:
    """Readings in the order of arrival, and by sensor."""

    def __init__(self):
        self.readings = []
        self.by_sensor = {}

    def collect(self, count):
        """Take `count` readings."""
        for number in range(count):
            reading = Reading(f"sensor-{number:04d}", number * 0.5)
            self.readings.append(reading)
            self.by_sensor[reading.sensor] = reading

    def total(self):
        """Add all values: the innocent code that meets the damaged pointer."""
        result = 0.0
        for reading in self.readings:
            result += reading.value
        return result


def publish_forever(wake_up):
    """Stand for a thread that publishes totals."""
    wake_up.wait()


def wait_for_damage(station):
    """Tell where the list is, then wait until its memory was changed from outside."""
    os.write(1, f"fact list_object {id(station.readings)}\nready\n".encode())
    os.read(0, 1)


def report(station):
    """Print the total."""
    print(station.total())


def main():
    """Collect, wait, report."""
    wake_up = threading.Event()
    threading.Thread(target=publish_forever, args=(wake_up,), name="publisher", daemon=True).start()
    time.sleep(SETTLE_SECONDS)
    station = Station()
    station.collect(COUNT)
    wait_for_damage(station)
    report(station)


main()
