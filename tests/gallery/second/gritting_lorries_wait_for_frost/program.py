# SPDX-License-Identifier: Apache-2.0
"""The winter service of a county: asks its thermometers every ten minutes, grits when it freezes."""  # noqa: E501

import logging
import os
import sched
import time

from depot import Depot

log = logging.getLogger("winter")
ROADS = ["B 42", "K 7", "L 310", "school road", "bridge", "quarry lane"]
PERIOD = 600.0


class Thermometers:
    """Recorded nights instead of the real ones."""

    NIGHT = [1.5, 0.4, -0.8]

    def __init__(self):
        self.asked = 0

    def coldest(self):
        self.asked += 1
        return self.NIGHT[self.asked - 1] if self.asked <= len(self.NIGHT) else 4.0


class WinterService:
    def __init__(self, depot, thermometers):
        self.depot = depot
        self.thermometers = thermometers
        self.clock = sched.scheduler(time.monotonic, time.sleep)
        self.freezing = False

    def look(self):
        degrees = self.thermometers.coldest()
        if degrees < 0 and not self.freezing:
            log.info("%.1f degrees: all lorries out", degrees)
            self.depot.grit(ROADS)
        self.freezing = degrees < 0
        log.info("look %d: %.1f degrees", self.thermometers.asked, degrees)
        # The first looks follow each other quickly: the service has just been started.
        pause = 0.01 if self.thermometers.asked < 4 else PERIOD
        self.clock.enter(pause, 1, self.look)
        if pause == PERIOD:
            self.announce()

    def announce(self):
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def run(self):
        self.clock.enter(0, 1, self.look)
        self.clock.run()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    depot = Depot(["GR-%02d" % n for n in range(1, 6)])
    WinterService(depot, Thermometers()).run()


main()
