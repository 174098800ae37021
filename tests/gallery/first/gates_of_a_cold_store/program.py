# SPDX-License-Identifier: Apache-2.0
"""A cold store with one place at its gate: lorries bring pallets, fork lifts take them inside."""

import logging
import os
import threading
import time
from dataclasses import dataclass

log = logging.getLogger("cold")


@dataclass
class Pallet:
    goods: str
    degrees: float


class Gate:
    """The place at the gate holds one pallet; whoever waits for it waits here."""

    def __init__(self):
        self.changed = threading.Condition()
        self.pallet = None
        self.passed = 0

    def put_down(self, pallet):
        with self.changed:
            while self.pallet is not None:
                self.changed.wait()
            self.pallet = pallet
            self.changed.notify()

    def take(self):
        with self.changed:
            while self.pallet is None:
                self.changed.wait()
            pallet, self.pallet = self.pallet, None
            self.passed += 1
            self.changed.notify()
            return pallet


class Lorry(threading.Thread):
    def __init__(self, name, gate, goods, count):
        super().__init__(name=f"lorry-{name}")
        self.gate = gate
        self.goods = goods
        self.count = count

    def run(self):
        for number in range(self.count):
            self.gate.put_down(Pallet(self.goods, -18.0 - number % 4))
        log.info("%s is empty", self.name)


class ForkLift(threading.Thread):
    def __init__(self, name, gate):
        super().__init__(name=f"fork-lift-{name}", daemon=True)
        self.gate = gate
        self.moved = []

    def run(self):
        while True:
            pallet = self.gate.take()
            self.moved.append(pallet.goods)


class Compressor(threading.Thread):
    """Keeps the store cold."""

    def __init__(self):
        super().__init__(name="compressor", daemon=True)
        self.degrees = -20.0

    def run(self):
        while True:
            self.degrees = max(-24.0, self.degrees - 0.1)
            time.sleep(1)


class Heartbeat(threading.Thread):
    def __init__(self, gate):
        super().__init__(name="heartbeat", daemon=True)
        self.gate = gate

    def run(self):
        while True:
            time.sleep(5)
            log.info("passed %d", self.gate.passed)


def night_shift(gate, lifts):
    """Take what stood at the gate over night, with all who are there."""
    for lift in lifts:
        lift.start()
    time.sleep(0.2)


def main():
    logging.basicConfig(level=logging.INFO)
    gate = Gate()
    lifts = [ForkLift(name, gate) for name in ("red", "blue")]
    Compressor().start()
    Heartbeat(gate).start()
    night_shift(gate, lifts)
    lorries = [Lorry(name, gate, goods, 100_000) for name, goods in
               (("a", "peas"), ("b", "fish"), ("c", "ice"), ("d", "spinach"))]  # fmt: skip
    for lorry in lorries:
        lorry.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for lorry in lorries:
        lorry.join()
    log.info("the yard is empty")


if __name__ == "__main__":
    main()
