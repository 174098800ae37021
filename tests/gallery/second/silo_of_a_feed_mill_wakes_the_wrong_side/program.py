# SPDX-License-Identifier: Apache-2.0
"""The evening shift of a feed mill: the dosing line fills a silo of four batches, and a loader
draws them into lorries that come once the silo has reported that it is full."""

import dataclasses
import os
import sys
import threading

from silo import Silo

CAPACITY = 4
RECIPES = {
    "layers": {"maize": 0.55, "soya": 0.25, "lime": 0.09, "bran": 0.11},
    "piglets": {"barley": 0.48, "whey": 0.17, "soya": 0.30, "salt": 0.05},
}


@dataclasses.dataclass
class Batch:
    number: int
    recipe: str
    kilograms: float

    def bill(self):
        """Return how much of each component the batch takes."""
        shares = RECIPES[self.recipe]
        return {part: round(share * self.kilograms, 1) for part, share in shares.items()}


class DosingLine:
    def __init__(self, silo, orders):
        self.silo = silo
        self.orders = orders
        self.used = {}

    def weigh(self, batch):
        for part, kilograms in batch.bill().items():
            self.used[part] = self.used.get(part, 0.0) + kilograms

    def run(self):
        for number, (recipe, kilograms) in enumerate(self.orders):
            batch = Batch(number, recipe, kilograms)
            self.weigh(batch)
            self.silo.blow_in(batch)
        self.silo.blow_in(None)


class Loader:
    """Loads lorries once the line has stalled for the first time: they come when called."""

    def __init__(self, silo, called):
        self.silo = silo
        self.called = called
        self.loaded = []

    def run(self):
        self.called.wait()
        while (batch := self.silo.draw()) is not None:
            self.loaded.append(batch.number)
            print(f"lorry takes batch {batch.number}: {batch.recipe}", flush=True)


def main():
    lorries_called = threading.Event()
    silo = Silo(CAPACITY, on_stall=lorries_called.set)
    orders = [("layers", 900.0), ("piglets", 650.0)] * 6
    line, loader = DosingLine(silo, orders), Loader(silo, lorries_called)
    shift = [
        threading.Thread(target=line.run, name="dosing-line"),
        threading.Thread(target=loader.run, name="loader"),
    ]
    for hand in shift:
        hand.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for hand in shift:
        hand.join()
    print("shift over:", len(loader.loaded), "batches;", line.used)
    return 0


if __name__ == "__main__":
    sys.exit(main())
