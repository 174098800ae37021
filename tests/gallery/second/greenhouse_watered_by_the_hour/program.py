# SPDX-License-Identifier: Apache-2.0
"""Waters the beds of a greenhouse by a timetable, in the manner of cron."""

import datetime
import os
import time

TIMETABLE = [  # minute, hours, what, litres
    (0, range(0, 24, 2), "tomatoes", 12),
    (15, range(6, 20), "lettuce", 4),
    (30, (5, 21), "citrus", 9),
]


class Valve:
    def __init__(self):
        self.used = {}

    def water(self, bed, litres):
        self.used[bed] = self.used.get(bed, 0) + litres
        print(datetime.datetime.now(), bed, litres, flush=True)


def next_run(now):
    """Return the next time, at least two minutes ahead, at which something is due, and what is."""
    moment = now.replace(second=0, microsecond=0)
    while True:
        moment += datetime.timedelta(minutes=1)
        due = [
            (bed, litres)
            for minute, hours, bed, litres in TIMETABLE
            if moment.minute == minute and moment.hour in hours
        ]
        if due and (moment - now).total_seconds() > 120:
            return moment, due


def main():
    valve = Valve()
    valve.water("seedlings", 1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while True:
        now = datetime.datetime.now()
        moment, due = next_run(now)
        time.sleep((moment - now).total_seconds())
        for bed, litres in due:
            valve.water(bed, litres)


main()
