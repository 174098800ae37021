# SPDX-License-Identifier: Apache-2.0
"""A pilot station answers what the tide is where a vessel says that it is."""

import queue
import re
import threading

import tides

DEGREES = re.compile(r"(?P<vessel>\w+) (?P<lat>[\d.]+)N (?P<lon>[\d.]+)E$")
MINUTES = re.compile(r"(?P<vessel>\w+) (?P<lat>[\d.]+)'N (?P<lon>[\d.]+)'E$")


class PilotStation:
    def __init__(self):
        self.reports = queue.Queue()
        self.answers = {}
        self.unreadable = []

    def answer(self, report):
        found = DEGREES.match(report)
        if found:
            vessel, height = tides.tide_at(
                found["vessel"], float(found["lat"]), float(found["lon"])
            )
        else:
            found = MINUTES.match(report)
            if not found:
                self.unreadable.append(report)
                return
            vessel, height = tides.tide_at_minutes(
                found["vessel"], float(found["lat"]), float(found["lon"])
            )
        self.answers.setdefault(vessel, []).append(height)

    def watch(self):
        while (report := self.reports.get()) is not None:
            self.answer(report)


def reports(count):
    vessels = ["Aurora", "Baltrum", "Condor", "Delfin", "Emma"]
    for number in range(count):
        vessel = vessels[number % len(vessels)]
        latitude, longitude = 53.0 + number % 90 / 60, 6.5 + number % 70 / 60
        if number < 400:
            yield f"{vessel} {latitude:.3f}N {longitude:.3f}E"
        else:
            yield f"{vessel} {latitude * 60:.2f}'N {longitude * 60:.2f}'E"


def main():
    station = PilotStation()
    watch = threading.Thread(target=station.watch, name="watch")
    watch.start()
    for report in reports(900):
        station.reports.put(report)
    station.reports.put(None)
    watch.join()
    print({vessel: round(max(heights), 2) for vessel, heights in station.answers.items()})


main()
