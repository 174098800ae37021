# SPDX-License-Identifier: Apache-2.0
"""Dosing station: a timetable of steps opens valves, watches the flow meter and closes again."""

import os
import sched
import threading
import time


class Station:
    """Valves and a flow meter, driven by one timetable."""

    def __init__(self):
        self.timetable = sched.scheduler(time.monotonic, time.sleep)
        self.flowing = threading.Event()
        self.pulses = 0
        self.open_valves = set()
        self.doses = []

    def poll_meter(self):
        self.pulses += 7 * len(self.open_valves)
        if self.pulses > 20:
            self.flowing.set()
        self.timetable.enter(0.05, 2, self.poll_meter)

    def dose(self, valve, litres):
        self.open_valves.add(valve)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        self.flowing.wait()
        self.doses.append((valve, litres, self.pulses))
        self.open_valves.discard(valve)
        self.flowing.clear()

    def work(self, plan):
        self.timetable.enter(0.0, 1, self.poll_meter)
        for delay, valve, litres in plan:
            self.timetable.enter(delay, 1, self.dose, (valve, litres))
        self.timetable.run()


def main():
    station = Station()
    station.work([(0.2, "chlorine", 1.5), (0.6, "lime", 4.0)])
    print(station.doses)


main()
