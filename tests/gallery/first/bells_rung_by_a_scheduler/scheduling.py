# SPDX-License-Identifier: Apache-2.0
"""A scheduler in the manner of cron: a thread waits for the next job, a pool runs it."""

import datetime
import heapq
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor


class Job:
    def __init__(self, action, first, every):
        self.action = action
        self.due = first
        self.every = every
        self.runs = 0

    def run(self):
        self.action()
        self.runs += 1


class Scheduler(threading.Thread):
    def __init__(self, workers=2):
        super().__init__(name="scheduler", daemon=True)
        self._jobs = []
        self._order = itertools.count()
        self._changed = threading.Condition()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")

    def add(self, action, first, every):
        job = Job(action, first, every)
        with self._changed:
            heapq.heappush(self._jobs, (job.due, next(self._order), job))
            self._changed.notify()
        return job

    def run(self):
        while True:
            with self._changed:
                while not self._jobs:
                    self._changed.wait()
                due, _, job = self._jobs[0]
                left = (due - datetime.datetime.now()).total_seconds()
                if left > 0:
                    self._changed.wait(left)
                    continue
                heapq.heappop(self._jobs)
                job.due += job.every
                heapq.heappush(self._jobs, (job.due, next(self._order), job))
            self._pool.submit(job.run)
