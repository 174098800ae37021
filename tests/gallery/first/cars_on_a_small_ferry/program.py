# SPDX-License-Identifier: Apache-2.0
"""How long cars wait for a small ferry: a season is simulated event by event."""

import heapq
import os
import random

CAPACITY = 14
CROSSING = 22.0


class FerryDay:
    def __init__(self, dice):
        self.dice = dice
        self.agenda = []
        self.queue = []
        self.waits = []

    def plan(self, minute, what):
        heapq.heappush(self.agenda, (minute, what))

    def arrive(self, minute):
        self.queue.append(minute)
        if minute < 900:
            self.plan(minute + self.dice.expovariate(0.55), "car")

    def depart(self, minute):
        boarded, self.queue = self.queue[:CAPACITY], self.queue[CAPACITY:]
        self.waits.extend(minute - each for each in boarded)
        if minute < 1000 or self.queue:
            self.plan(minute + CROSSING + self.dice.uniform(0, 4), "ferry")

    def simulate(self):
        self.plan(0.0, "car")
        self.plan(10.0, "ferry")
        while self.agenda:
            minute, what = heapq.heappop(self.agenda)
            if what == "car":
                self.arrive(minute)
            else:
                self.depart(minute)
        return sum(self.waits) / len(self.waits)


class Season:
    def __init__(self, days):
        self.days = days
        self.means = []

    def simulate(self):
        dice = random.Random(7)
        for day in range(self.days):
            self.means.append(FerryDay(dice).simulate())
            if day == 200:
                with open("ready", "w") as file:
                    file.write(f"{os.getpid()}\n")
        return sum(self.means) / len(self.means)


print(f"mean wait: {Season(150000).simulate():.1f} minutes")
