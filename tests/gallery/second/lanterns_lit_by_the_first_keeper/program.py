# SPDX-License-Identifier: Apache-2.0
"""Lanterns of a long quay are lit at dusk by three keepers. The dusk sensor wakes them through an
event counter of the kernel (eventfd), one count for each keeper."""

import datetime
import math
import os
import sys
import threading

LANTERNS = 48
KEEPERS = 3


def dusk(day):
    """Return the minutes after noon at which the sun sets, roughly, in Bremen."""
    return 370 + 130 * math.sin((day - 80) / 365 * 2 * math.pi)


class Dusk:
    """The counter on which keepers wait."""

    def __init__(self):
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC)

    def tell(self, keepers):
        """Wake that many keepers."""
        os.eventfd_write(self.descriptor, keepers)

    def wait(self):
        """Wait for one's turn."""
        return os.eventfd_read(self.descriptor)


class Keeper(threading.Thread):
    def __init__(self, number, sensor, lanterns):
        super().__init__(name=f"keeper-{number}")
        self.number, self.sensor, self.lanterns = number, sensor, lanterns
        self.lit = []

    def run(self):
        self.sensor.wait()
        for lantern in self.lanterns:
            self.light(lantern)

    def light(self, lantern):
        self.lit.append(lantern)


class Quay:
    def __init__(self):
        self.sensor = Dusk()
        share = LANTERNS // KEEPERS
        self.keepers = [
            Keeper(number, self.sensor, range(number * share, (number + 1) * share))
            for number in range(KEEPERS)
        ]

    def evening(self, day):
        minutes = dusk(day)
        at = datetime.time(12 + int(minutes // 60), int(minutes % 60))
        print("dusk at", at.isoformat("minutes"), flush=True)
        self.sensor.tell(KEEPERS)
        for keeper in self.keepers:
            keeper.start()

    def all_lit(self):
        """Wait for the keepers; return how many lanterns burn."""
        for keeper in self.keepers:
            keeper.join()
        return sum(len(keeper.lit) for keeper in self.keepers)


def main():
    quay = Quay()
    quay.evening(day=334)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(quay.all_lit(), "lanterns burn")
    return 0


if __name__ == "__main__":
    sys.exit(main())
