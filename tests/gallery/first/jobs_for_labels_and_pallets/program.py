# SPDX-License-Identifier: Apache-2.0
"""A depot with one station for labels and one for pallets, fed by one desk."""

import collections
import os
import threading
import time


class Depot:
    def __init__(self):
        self.changed = threading.Condition()
        self.jobs = {"labels": collections.deque(), "pallets": collections.deque()}
        self.done = []

    def hand_in(self, kind, job):
        with self.changed:
            self.jobs[kind].append(job)
            self.changed.notify()

    def take(self, kind):
        with self.changed:
            while not self.jobs[kind]:
                self.changed.wait()
            return self.jobs[kind].popleft()


def station(depot, kind, finished):
    while True:
        job = depot.take(kind)
        depot.done.append((kind, job))
        finished.release()


def waiting(depot):
    with depot.changed:
        return len(depot.changed._waiters)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    depot = Depot()
    finished = threading.Semaphore(0)
    for number, kind in enumerate(("labels", "pallets"), 1):
        threading.Thread(
            target=station, args=(depot, kind, finished), name=kind, daemon=True
        ).start()
        while waiting(depot) < number:
            time.sleep(0.01)
    threading.Timer(0.8, tell).start()
    for number in range(3):
        depot.hand_in("pallets", "order-%d" % number)
        finished.acquire()
    print(depot.done)


main()
