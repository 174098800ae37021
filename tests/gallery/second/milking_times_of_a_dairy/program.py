# SPDX-License-Identifier: Apache-2.0
"""A dairy: milking, cooling and cleaning are started by their times and done by two hands."""

import heapq
import itertools
import logging
import os
import queue
import threading
import time

log = logging.getLogger("dairy")


class Timetable(threading.Thread):
    """Hands each job to the hands when its time has come."""

    def __init__(self, jobs):
        super().__init__(name="timetable", daemon=True)
        self.jobs = jobs
        self.entries = []
        self.changed = threading.Condition()
        self.numbers = itertools.count()
        self.started = 0

    def add(self, seconds, name, every):
        with self.changed:
            due = time.monotonic() + seconds
            heapq.heappush(self.entries, (due, next(self.numbers), name, every))
            self.changed.notify()

    def next_due(self):
        return self.entries[0][0] - time.monotonic() if self.entries else None

    def run(self):
        while True:
            with self.changed:
                left = self.next_due()
                while left is None or left > 0:
                    self.changed.wait(left)
                    left = self.next_due()
                _, _, name, every = heapq.heappop(self.entries)
            self.started += 1
            self.jobs.put(name)
            self.add(every, name, every)


class Hand(threading.Thread):
    def __init__(self, name, jobs, done):
        super().__init__(name=name, daemon=True)
        self.jobs = jobs
        self.done = done

    def run(self):
        while True:
            job = self.jobs.get()
            self.done.append((self.name, job))
            log.info("%s done", job)
            self.jobs.task_done()


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    jobs, done = queue.Queue(), []
    hands = [Hand(name, jobs, done) for name in ("hand-mette", "hand-oskar")]
    timetable = Timetable(jobs)
    timetable.add(0.0, "clean the pipes", every=7200)
    timetable.add(0.1, "morning milking", every=43200)
    timetable.add(2700, "cool the tank", every=5400)
    for thread in (*hands, timetable):
        thread.start()
    while len(done) < 2:
        time.sleep(0.02)
    log.info("%d jobs done, next in %.0f s", len(done), timetable.next_due())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    timetable.join()


main()
