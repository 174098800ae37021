# SPDX-License-Identifier: Apache-2.0
"""The ledger of a tool shop: entries are written by a thread, in the order of their time."""

import heapq
import itertools
import threading
from queue import Queue


class TimedQueue(Queue):
    """Hands out the entry with the earliest time."""

    def _init(self, maxsize):
        self.queue = []
        self.order = itertools.count()

    def _put(self, item):
        heapq.heappush(self.queue, [item["at"], next(self.order), item])
        if len(self.queue) % 50 == 0:
            self.queue = [list(entry) for entry in sorted(self.queue)]

    def _get(self):
        return heapq.heappop(self.queue)[2]


class Ledger:
    def __init__(self):
        self.entries = TimedQueue()
        self.lines = []
        self._writer = threading.Thread(target=self._write, name="ledger", daemon=True)

    def open(self):
        self._writer.start()

    def record(self, at, text):
        self.entries.put({"at": at, "text": text})

    def close(self):
        self.entries.join()

    def _write(self):
        while True:
            entry = self.entries.get()
            self.lines.append("{at:5d} {text}".format(**entry))
            self.entries.task_done()
