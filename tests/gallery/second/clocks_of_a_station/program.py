# SPDX-License-Identifier: Apache-2.0
"""The services of a railway station, of each of which a process has but one."""

import os
import threading


class OnePerProcess(type):
    """Makes the one instance of a class when it is first asked for."""

    instances = {}
    guard = threading.Lock()

    def __call__(cls, *args, **kwargs):
        with OnePerProcess.guard:
            if cls not in OnePerProcess.instances:
                OnePerProcess.instances[cls] = super().__call__(*args, **kwargs)
        return OnePerProcess.instances[cls]


class Timetable(metaclass=OnePerProcess):
    def __init__(self):
        self.departures = {"07:12": ("Zwolle", 3), "07:20": ("Delft", 1)}

    def platform_of(self, minute):
        return self.departures[minute][1]


class Announcer(metaclass=OnePerProcess):
    """Speaks on the platforms."""

    def __init__(self, language):
        self.language = language
        self.timetable = Timetable()
        self.spoken = []

    def announce(self, minute):
        town, platform = self.timetable.departures[minute]
        self.spoken.append("%s: %s, %d" % (self.language, town, platform))


def open_station():
    announcer = Announcer("nl")
    for minute in sorted(Timetable().departures):
        announcer.announce(minute)
    return announcer.spoken


with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
print(open_station())
