# SPDX-License-Identifier: Apache-2.0
"""Drives the irrigation of a farm: programmes of valves, run by the maker's library."""

import ctypes
import logging
import os
import threading

from programmes import PROGRAMMES

log = logging.getLogger("irrigation")
HERE = os.path.dirname(os.path.abspath(__file__))


class Manifold:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(HERE, "manifold.so"))
        self.library.manifold_litres.restype = ctypes.c_double
        self.steps = 0

    def run_step(self, step):
        action, number = step
        self.steps += 1
        if action == "pump":
            self.library.manifold_pump(number)
        elif action == "open":
            self.library.valve_open(number)
        elif action == "water":
            self.library.manifold_flow(number)
        elif action == "close":
            self.library.valve_close(number)
        else:
            raise ValueError(action)


class Runner(threading.Thread):
    """Runs the programmes of a day, one after the other."""

    def __init__(self, manifold, programmes):
        super().__init__(name="irrigation-runner")
        self.manifold = manifold
        self.programmes = programmes
        self.current = None

    def run(self):
        for name, steps in self.programmes.items():
            self.current = name
            for step in steps:
                log.info("%s: %s %d", name, *step)
                self.manifold.run_step(step)
        self.current = None


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    manifold = Manifold()
    runner = Runner(manifold, PROGRAMMES)
    runner.start()
    runner.join()
    log.info("%.0f litres", manifold.library.manifold_litres())


if __name__ == "__main__":
    main()
