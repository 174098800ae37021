# SPDX-License-Identifier: Apache-2.0
"""A brewery's cooperative tasks, run in turn by a small scheduler."""

import collections
import os
import threading


class Scheduler:
    def __init__(self):
        self.tasks, self.done, self.turns = collections.deque(), {}, 0

    def add(self, name, steps):
        self.done[name] = False
        self.tasks.append((name, steps))

    def until(self, name):
        while not self.done[name]:
            yield

    def run(self):
        while self.tasks:
            name, steps = self.tasks.popleft()
            self.turns += 1
            try:
                next(steps)
            except StopIteration:
                self.done[name] = True
            else:
                self.tasks.append((name, steps))


def mash(plan, kettle):
    kettle.append("malt")
    yield from plan.until("boil")
    kettle.append("wort drawn off")


def boil(plan, kettle):
    yield from plan.until("clean")
    kettle.append("hops")


def clean(plan, kettle):
    yield from plan.until("mash")
    kettle.clear()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    plan, kettle = Scheduler(), []
    for steps in (mash, boil, clean):
        plan.add(steps.__name__, steps(plan, kettle))
    threading.Timer(0.5, tell).start()
    plan.run()
    print(plan.turns, kettle)


main()
