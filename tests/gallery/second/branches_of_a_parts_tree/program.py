# SPDX-License-Identifier: Apache-2.0
"""Parts of machines are weighed by many light threads, each of which walks down one machine."""

import queue
import threading
import time

WORKERS = 24


class Part:
    def __init__(self, grams):
        self.grams = grams
        self.inner = []

    def __lt__(self, other):
        return self.weight() < other.weight()

    def weight(self):
        return self.grams + sum(map(Part.weight, sorted(self.inner)))

    def lightest(self):
        return min(self.inner) if self.inner else self


def nested(levels):
    part = Part(1)
    for _ in range(levels):
        outer = Part(2)
        outer.inner.append(part)
        part = outer
    return part


def weigh(machines, weights):
    while True:
        machine = machines.get()
        if machine is None:
            return
        weights.append(machine.weight())


def main():
    threading.stack_size(128 * 1024)
    machines, weights = queue.Queue(), []
    workers = [threading.Thread(target=weigh, args=(machines, weights)) for _ in range(WORKERS)]
    for worker in workers:
        worker.start()
    for levels in (5, 12, 40, 30, 8):
        machines.put(nested(levels))
    while len(weights) < 5:
        time.sleep(0.01)
    print(sorted(weights), flush=True)
    machines.put(nested(900))
    for _ in workers:
        machines.put(None)
    for worker in workers:
        worker.join()
    print(weights[-1])


main()
