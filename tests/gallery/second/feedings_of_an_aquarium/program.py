# SPDX-License-Identifier: Apache-2.0
"""Feed the tanks of an aquarium at their hours."""

import itertools
import os
import queue
import sched
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Tank:
    name: str
    food: str
    hours: float
    fed: list = field(default_factory=list)


class Feeder(threading.Thread):
    """Moves the arm over the tanks; one at a time."""

    def __init__(self):
        super().__init__(name="arm", daemon=True)
        self.orders = queue.PriorityQueue()
        self._order = itertools.count()
        self._arm = threading.Lock()

    def feed(self, tank, grams):
        self.orders.put((-grams, next(self._order), tank))

    def run(self):
        while True:
            grams, _, tank = self.orders.get()
            with self._arm:
                time.sleep(0.02)
                tank.fed.append(-grams)
            self.orders.task_done()


class Day:
    def __init__(self, tanks, feeder):
        self.tanks, self.feeder = tanks, feeder
        self.plan = sched.scheduler(time.monotonic, time.sleep)

    def meal(self, tank, grams):
        self.feeder.feed(tank, grams)
        self.plan.enter(tank.hours * 3600, 1, self.meal, (tank, grams))

    def begin(self):
        for tank in self.tanks:
            self.plan.enter(0.05, 1, self.meal, (tank, 20 + len(tank.food)))
        self.plan.enter(0.6, 2, self.note)
        self.plan.run()

    def note(self):
        """Leave the keepers a note that the first meal is over."""
        self.feeder.orders.join()
        print({tank.name: tank.fed for tank in self.tanks}, flush=True)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")


def main():
    tanks = [
        Tank("reef", "krill", 6), Tank("rays", "herring", 12),
        Tank("eels", "mussels", 24), Tank("jelly", "plankton", 3),
    ]  # fmt: skip
    feeder = Feeder()
    feeder.start()
    Day(tanks, feeder).begin()


if __name__ == "__main__":
    main()
