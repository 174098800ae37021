# SPDX-License-Identifier: Apache-2.0
"""A mill works its orders off; the miller asks for a report by a signal."""

import os
import signal
import threading
import time


class Mill:
    def __init__(self):
        self.ground = {}
        self.between_orders = threading.Event()
        self.between_orders.set()

    def grind(self, grain, sacks):
        self.between_orders.clear()
        for _ in range(sacks):
            time.sleep(0.05)
            self.ground[grain] = self.ground.get(grain, 0) + 25
        self.between_orders.set()

    def report(self, number, frame):
        """Write what was ground; not in the middle of an order."""
        self.between_orders.wait()
        with open("report", "w") as file:
            for grain, weight in sorted(self.ground.items()):
                file.write("%s %d kg\n" % (grain, weight))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    mill = Mill()
    signal.signal(signal.SIGUSR1, mill.report)
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    threading.Timer(1.0, tell).start()
    for grain in ("rye", "wheat", "spelt"):
        mill.grind(grain, 30)


main()
