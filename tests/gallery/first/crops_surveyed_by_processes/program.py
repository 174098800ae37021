# SPDX-License-Identifier: Apache-2.0
"""A survey of fields: processes count plants in strips, the parent adds up what they found."""

import logging
import multiprocessing
import os
import random
import threading
import time
from dataclasses import dataclass

log = logging.getLogger("survey")


@dataclass(frozen=True)
class Strip:
    field: str
    row: int
    width: int


@dataclass
class Finding:
    strip: Strip
    plants: int
    heights: list


class Counter:
    """Counts the plants of strips, in its own process."""

    def __init__(self, seed, findings):
        self.seed = seed
        self.findings = findings

    def __call__(self, strips):
        chance = random.Random(self.seed)
        for strip in strips:
            heights = [chance.gauss(62, 9) for _ in range(strip.width)]
            self.findings.put(Finding(strip, sum(h > 50 for h in heights), heights))
        log.info("counter %d has counted %d strips", self.seed, len(strips))


class Totals:
    def __init__(self):
        self.plants = {}
        self.strips = 0

    def add(self, finding):
        self.plants.setdefault(finding.strip.field, 0)
        self.plants[finding.strip.field] += finding.plants
        self.strips += 1


class Heartbeat(threading.Thread):
    """Tells the supervisor that the survey lives."""

    def __init__(self, path, every):
        super().__init__(name="heartbeat", daemon=True)
        self.path = path
        self.every = every
        self.gone = threading.Event()

    def run(self):
        while not self.gone.wait(self.every):
            with open(self.path, "w") as beat:
                beat.write(str(time.time()))


class Survey:
    def __init__(self, fields):
        self.fields = fields
        self.context = multiprocessing.get_context("fork")
        self.findings = self.context.Queue()
        self.totals = Totals()
        self.crew = []

    def strips(self, field):
        return [Strip(field, row, 400 + 10 * row) for row in range(60)]

    def send_out(self):
        for seed, field in enumerate(self.fields):
            member = self.context.Process(
                target=Counter(seed, self.findings), args=(self.strips(field),), name=field
            )
            member.start()
            self.crew.append(member)

    def await_crew(self):
        for member in self.crew:
            member.join()
            log.info("%s is back with %s", member.name, member.exitcode)

    def collect(self):
        while not self.findings.empty():
            self.totals.add(self.findings.get())

    def run(self):
        self.send_out()
        self.await_crew()
        self.collect()
        return self.totals


def main():
    logging.basicConfig(level=logging.INFO)
    survey = Survey(["barley", "rye", "oats"])
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    threading.Timer(0.8, Heartbeat("beat.txt", 0.4).start).start()
    totals = survey.run()
    for field, plants in totals.plants.items():
        print(field, plants)


if __name__ == "__main__":
    main()
