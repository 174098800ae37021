# SPDX-License-Identifier: Apache-2.0
"""A scanning service unpacks the strips of large plans; its container has a quota of memory."""

import resource
import threading
from dataclasses import dataclass, field

import strips

WIDTH, LINES = 9600, 160
QUOTA = 280 << 20


@dataclass
class Plan:
    name: str
    strips: list = field(default_factory=list)

    def ink(self):
        return sum(strip.count(0) for strip in self.strips[-1:])


class Archive:
    """Plans that were scanned; the oldest are dropped when there are too many."""

    def __init__(self, plans):
        self.limit = plans
        self.plans = {}
        self.lock = threading.Lock()

    def keep(self, plan):
        with self.lock:
            self.plans[plan.name] = plan
            while len(self.plans) > self.limit:
                del self.plans[next(iter(self.plans))]

    def size(self):
        with self.lock:
            return sum(len(s) for plan in self.plans.values() for s in plan.strips)


class Scanner(threading.Thread):
    def __init__(self, number, archive, plans):
        super().__init__(name=f"scanner-{number}")
        self.number = number
        self.archive = archive
        self.count = plans

    def packed(self, strip):
        runs = bytearray()
        for run in range(WIDTH // 200):
            runs += bytes((199, 0 if (run * self.number + strip) % 9 == 0 else 255))
        return bytes(runs) * LINES

    def run(self):
        for number in range(self.count):
            plan = Plan(f"plan {self.number}-{number}")
            for strip in range(12):
                plan.strips.append(strips.unpack(self.packed(strip), WIDTH, LINES))
            self.archive.keep(plan)
            print(plan.name, plan.ink(), self.archive.size() >> 20, "MB", flush=True)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (QUOTA, QUOTA))
    archive = Archive(50)
    scanners = [Scanner(number, archive, 40) for number in (1, 2)]
    for scanner in scanners:
        scanner.start()
    for scanner in scanners:
        scanner.join()


main()
