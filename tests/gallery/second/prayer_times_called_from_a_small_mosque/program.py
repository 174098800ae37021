# SPDX-License-Identifier: Apache-2.0
"""Calls the prayer times of a small mosque: computes them for the day, keeps them in a timetable and
sleeps until the next. Two announcers, one for the loudspeaker and one for telephones, wait for work."""  # noqa: E501

import concurrent.futures
import dataclasses
import heapq
import logging
import math
import os
import queue
import threading
import time

log = logging.getLogger("times")
ANGLES = {"fajr": -18.0, "sunrise": -0.83, "maghrib": -0.83, "isha": -17.0}


def hour_angle(latitude, declination, altitude):
    """Return the hours between noon and the sun's standing at an altitude."""
    up = math.sin(math.radians(altitude))
    up -= math.sin(math.radians(latitude)) * math.sin(math.radians(declination))
    across = math.cos(math.radians(latitude)) * math.cos(math.radians(declination))
    return math.degrees(math.acos(max(-1.0, min(1.0, up / across)))) / 15


def times_of_day(day, latitude=53.1):
    """Return the hours of the day by name."""
    declination = -23.44 * math.cos(math.radians(360 / 365 * (day + 10)))
    hours = {"dhuhr": 12.1}
    for name, altitude in ANGLES.items():
        before = name in ("fajr", "sunrise")
        away = hour_angle(latitude, declination, altitude)
        hours[name] = 12.0 - away if before else 12.0 + away
    return hours


@dataclasses.dataclass(order=True)
class Call:
    due: float
    name: str = dataclasses.field(compare=False)


class Timetable:
    """Calls by their time; `next` sleeps until one is due, or an earlier one has been added."""

    def __init__(self):
        self.changed = threading.Condition()
        self.calls = []

    def add(self, call):
        with self.changed:
            heapq.heappush(self.calls, call)
            self.changed.notify()

    def next(self):
        with self.changed:
            while True:
                rest = self.calls[0].due - time.time() if self.calls else None
                if rest is not None and rest <= 0:
                    return heapq.heappop(self.calls)
                self.changed.wait(rest)


class Announcers:
    def __init__(self):
        self.speaker = queue.Queue()
        self.telephones = concurrent.futures.ThreadPoolExecutor(2, "telephones")
        threading.Thread(target=self.speak, name="loudspeaker", daemon=True).start()

    def speak(self):
        while True:
            log.info("loudspeaker: %s", self.speaker.get())
            self.speaker.task_done()

    def announce(self, name):
        self.speaker.put(name)
        return [self.telephones.submit(log.info, "telephone %d: %s", n, name) for n in (1, 2)]


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    timetable, announcers = Timetable(), Announcers()
    concurrent.futures.wait(announcers.announce("test of the line"))
    announcers.speaker.join()
    midnight = time.time() + 1800
    for name, hour in times_of_day(334).items():
        timetable.add(Call(midnight + hour * 3600, name))
    log.info("next: %s", timetable.calls[0].name)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    while True:
        announcers.announce(timetable.next().name)


main()
