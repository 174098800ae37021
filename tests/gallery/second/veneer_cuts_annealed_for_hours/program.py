# SPDX-License-Identifier: Apache-2.0
"""Plans how pieces of veneer are cut out of logs with little waste, by simulated annealing. A run
takes a night; every few seconds the best plan so far is told and saved."""

import bisect
import json
import math
import os
import random
import sys
import time

LOG_WIDTH = 3120
KERF = 4


class Plan:
    """An order of pieces, which are laid into logs from left to right."""

    def __init__(self, pieces):
        self.pieces = list(pieces)

    def waste(self):
        """Return the millimetres that no piece uses, first fit over open logs."""
        rests = []
        logs = 0
        for width in self.pieces:
            need = width + KERF
            place = bisect.bisect_left(rests, need)
            if place == len(rests):
                logs += 1
                bisect.insort(rests, LOG_WIDTH - need)
            else:
                bisect.insort(rests, rests.pop(place) - need)
        biggest = max(rests, default=0)
        return sum(rests) - 0.3 * biggest

    def swap(self, a, b):
        self.pieces[a], self.pieces[b] = self.pieces[b], self.pieces[a]


class Annealing:
    def __init__(self, plan, seed, steps):
        self.plan, self.steps = plan, steps
        self.dice = random.Random(seed)
        self.current = self.best = plan.waste()
        self.accepted = 0

    def temperature(self, step):
        return 900.0 * math.exp(-5.0 * step / self.steps)

    def improve(self, step):
        """Swap two pieces; keep it when it is better, or by luck."""
        a = self.dice.randrange(len(self.plan.pieces))
        b = self.dice.randrange(len(self.plan.pieces))
        self.plan.swap(a, b)
        waste = self.plan.waste()
        worse = waste - self.current
        if worse <= 0 or self.dice.random() < math.exp(-worse / self.temperature(step)):
            self.current = waste
            self.accepted += 1
            self.best = min(self.best, waste)
        else:
            self.plan.swap(a, b)

    def run(self, tell):
        told = time.monotonic()
        for step in range(self.steps):
            self.improve(step)
            if time.monotonic() - told > 0.5:
                told = time.monotonic()
                tell(step, self)


def tell(step, annealing):
    print(f"step {step}: waste {annealing.current:.0f}, best {annealing.best:.0f}", flush=True)
    with open("best.json", "w") as file:
        json.dump({"step": step, "best": annealing.best, "order": annealing.plan.pieces}, file)


def main():
    dice = random.Random(7)
    order = [dice.choice((310, 455, 620, 780, 1240)) + dice.randrange(40) for _ in range(260)]
    annealing = Annealing(Plan(order), seed=11, steps=90_000_000)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    annealing.run(tell)
    print("best:", annealing.best)
    return 0


if __name__ == "__main__":
    sys.exit(main())
