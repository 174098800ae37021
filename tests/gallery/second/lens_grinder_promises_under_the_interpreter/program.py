"""Optician's workshop: grinds the lenses of an order side by side in a C++ library."""

import dataclasses
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import grinder  # noqa: E402


@dataclasses.dataclass
class Order:
    customer: str
    left: float
    right: float


class Workshop:
    def __init__(self):
        self.heights = {}
        self.done = 0

    def progress(self, index, height):
        self.heights[index] = height

    def work_off(self, orders):
        for order in orders:
            total = grinder.grind([order.left, order.right], self.progress)
            self.done += 1
            print(f"{order.customer}: {total:.3f} mm, {self.heights}", flush=True)


def heartbeat(workshop):
    while True:
        print("orders done:", workshop.done, flush=True)
        time.sleep(0.5)


def announce():
    """Only a process of its own can still tell: this one is about to stand still."""
    parent = os.getpid()
    if os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"sleep 1.5; echo {parent} > ready") < 0:
        raise OSError("no shell")


def main():
    workshop = Workshop()
    threading.Thread(target=heartbeat, args=(workshop,), name="heartbeat", daemon=True).start()
    announce()
    workshop.work_off(
        [Order("Abel", -2.25, -1.75), Order("Bovary", 0.5, 0.75), Order("Casaubon", -6.0, -5.5)]
    )


main()
