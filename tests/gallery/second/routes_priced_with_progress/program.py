# SPDX-License-Identifier: Apache-2.0
"""Planning job: the cheapest way between all depots of a grid of streets, with a progress line."""

import heapq
import os
import sys
import threading

SIDE = 140


class Progress(threading.Thread):
    def __init__(self):
        super().__init__(name="progress", daemon=True)
        self.done = 0
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.25):
            sys.stderr.write(f"\r{self.done} depots")


def neighbours(x, y):
    for a, b in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
        if 0 <= a < SIDE and 0 <= b < SIDE:
            yield a, b


def costs_from(depot):
    costs, heap = {depot: 0}, [(0, depot)]
    while heap:
        cost, (x, y) = heapq.heappop(heap)
        if cost > costs[x, y]:
            continue
        for a, b in neighbours(x, y):
            new = cost + 1 + (a * 7 + b * 13) % 9
            if new < costs.get((a, b), 1 << 30):
                costs[a, b] = new
                heapq.heappush(heap, (new, (a, b)))
    return costs


def main():
    progress = Progress()
    progress.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    total = 0
    for x in range(0, SIDE, 2):
        for y in range(0, SIDE, 2):
            total += sum(costs_from((x, y)).values())
            progress.done += 1
    progress.ended.set()
    print(total)


main()
