# SPDX-License-Identifier: Apache-2.0
"""A water board adds up rain: a year of reports of its stations, every ten minutes, is fed into an
extension and summed by river."""

import calendar
import datetime
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raingauge

RIVERS = {"Oste": range(0, 5), "Wuemme": range(5, 9), "Hunte": range(9, 14)}
STEP = datetime.timedelta(minutes=10)


def rain(station, moment):
    """Return the millimetres of rain at a station in ten minutes."""
    day = moment.timetuple().tm_yday
    wet = math.sin(day / 5.0 + station) + 0.3 * math.sin(moment.hour / 3.0)
    return max(0.0, wet - 0.8) / 10


class Year:
    def __init__(self, year):
        self.year = year
        self.reports = 0

    def moments(self, month):
        """Yield the moments of a month at which stations report."""
        moment = datetime.datetime(self.year, month, 1)
        days = calendar.monthrange(self.year, month)[1]
        end = moment + datetime.timedelta(days=days)
        while moment < end:
            yield moment
            moment += STEP

    def feed(self, month):
        for moment in self.moments(month):
            for stations in RIVERS.values():
                for station in stations:
                    raingauge.report(station, rain(station, moment))
                    self.reports += 1

    def run(self):
        for month in range(1, 13):
            self.feed(month)
            print(f"{self.year}-{month:02d}: {self.reports} reports", flush=True)


def by_river():
    for river, stations in RIVERS.items():
        totals = [raingauge.total(station) for station in stations]
        known = [total for total in totals if total is not None]
        yield river, sum(known) / len(known) if known else None


def main():
    year = Year(2025)
    print("feeding", year.year, flush=True)
    year.run()
    for river, mean in by_river():
        print(f"{river}: {mean:.0f} mm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
