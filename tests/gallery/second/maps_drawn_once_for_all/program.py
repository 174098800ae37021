# SPDX-License-Identifier: Apache-2.0
"""Maps are drawn once: who asks for a map that is being drawn waits for it."""

import collections
import os
import threading


class Maps:
    def __init__(self):
        self.drawn, self.locks = {}, collections.defaultdict(threading.Lock)
        self.front = threading.Lock()

    def get(self, town):
        with self.front:
            lock = self.locks[town]
        with lock:
            if town not in self.drawn:
                self.drawn[town] = self.draw(town)
            return self.drawn[town]

    def draw(self, town):
        size, cells = 60 + 9000 * (town == "lisbon"), 0
        for row in range(size):
            for column in range(size * 40):
                cells += (row * column ^ len(town)) & 1
        return cells


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    maps = Maps()
    guides = [
        threading.Thread(target=maps.get, args=(town,), name="guide-%d" % number)
        for number, town in enumerate(["porto", "lisbon", "lisbon", "lisbon", "faro"])
    ]
    for guide in guides:
        guide.start()
    threading.Timer(1.0, tell).start()
    for guide in guides:
        guide.join()


main()
