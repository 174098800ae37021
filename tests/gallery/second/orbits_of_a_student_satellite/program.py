# SPDX-License-Identifier: Apache-2.0
"""Predicts the passes of a student satellite over its ground stations."""

import logging
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("orbits")
HERE = Path(__file__).resolve().parent
EARTH = 398600.4418  # km3/s2


@dataclass(frozen=True)
class Station:
    name: str
    latitude: float
    longitude: float


STATIONS = [
    Station("Kiruna", 67.86, 20.22),
    Station("Delft", 51.99, 4.37),
    Station("Trieste", 45.65, 13.77),
]


class Heart:
    """The heartbeat that the watchdog of the control room expects."""

    def __init__(self, path, allowed):
        self.path = path
        self.beat()
        script = str(HERE / "watchdog.py")
        command = [sys.executable, script, str(os.getpid()), str(path), str(allowed)]
        self.watchdog = subprocess.Popen(command)

    def beat(self):
        self.path.write_text("alive\n")


def position(axis, inclination, seconds):
    """Return where a satellite on a circular orbit is, in kilometres."""
    angle = seconds * math.sqrt(EARTH / axis**3)
    x, y = axis * math.cos(angle), axis * math.sin(angle)
    return x, y * math.cos(inclination), y * math.sin(inclination)


def elevation(station, place, seconds):
    turn = math.radians(station.longitude) + seconds * 7.2921159e-5
    north = math.radians(station.latitude)
    up = math.cos(north) * math.cos(turn), math.cos(north) * math.sin(turn), math.sin(north)
    away = [p - 6378.0 * u for p, u in zip(place, up)]
    return math.degrees(math.asin(sum(a * u for a, u in zip(away, up)) / math.hypot(*away)))


def passes(station, days, step=1.0):
    risen, found = None, []
    for tick in range(int(days * 86400 / step)):
        seconds = tick * step
        high = elevation(station, position(6878.0, 1.7, seconds), seconds) > 10
        if high and risen is None:
            risen = seconds
        elif not high and risen is not None:
            found.append((risen, seconds))
            risen = None
    return found


def main():
    logging.basicConfig(level=logging.INFO)
    heart = Heart(HERE / "heartbeat", allowed=4.0)
    for days in (0.05, 0.1, 0.2, 30):  # the month is asked for since the launch was put off
        for station in STATIONS:
            heart.beat()
            log.info("%s, %.2f days: %d passes", station.name, days, len(passes(station, days)))


if __name__ == "__main__":
    main()
