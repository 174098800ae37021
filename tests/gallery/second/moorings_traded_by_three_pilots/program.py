# SPDX-License-Identifier: Apache-2.0
"""The pilot station of a small port: ships are shifted from one quay to another."""

import logging
import os
import threading

from quays import Quay

log = logging.getLogger("pilots")


class Tide:
    """Ships are cast off together, when the water stands still."""

    def __init__(self, pilots):
        self.slack_water = threading.Barrier(pilots)

    def cast_off(self, ship):
        self.slack_water.wait()
        log.info("%s has cast off", ship)


class Pilot(threading.Thread):
    def __init__(self, name, ship, source, target, tide):
        super().__init__(name=name)
        self.ship = ship
        self.source = source
        self.target = target
        self.tide = tide
        self.done = False

    def run(self):
        log.info("%s takes %s from %s to %s", self.name, self.ship, self.source, self.target)
        with self.source.lock:
            self.source.check(self.ship)
            self.tide.cast_off(self.ship)
            # Neither quay may be given to another ship before this one has been moored.
            with self.target.lock:
                self.source.remove(self.ship)
                self.target.add(self.ship)
        self.done = True


def plan(tide):
    north, south, mole = Quay("north quay"), Quay("south quay"), Quay("mole")
    north.add("Amalia")
    south.add("Borkum")
    mole.add("Cormoran")
    return [
        Pilot("pilot-hansen", "Amalia", north, south, tide),
        Pilot("pilot-ilves", "Borkum", south, mole, tide),
        Pilot("pilot-juarez", "Cormoran", mole, north, tide),
    ]


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    pilots = plan(Tide(3))
    for pilot in pilots:
        pilot.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for pilot in pilots:
        pilot.join()
    log.info("%d ships shifted", sum(pilot.done for pilot in pilots))


if __name__ == "__main__":
    main()
