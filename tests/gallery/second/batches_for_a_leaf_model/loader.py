# SPDX-License-Identifier: Apache-2.0
"""Loads batches ahead of the training: threads fill a small queue."""

import queue
import random
import threading


class PrefetchLoader:
    def __init__(self, batches, size, depth=2, workers=2):
        self.batches = batches
        self.size = size
        self.ready = queue.Queue(maxsize=depth)
        self._next = iter(range(batches))
        self._lock = threading.Lock()
        self.workers = [
            threading.Thread(target=self._load, name=f"loader {place}", daemon=True)
            for place in range(workers)
        ]

    def _load(self):
        while True:
            with self._lock:
                number = next(self._next, None)
            if number is None:
                return
            source = random.Random(number)
            batch = [
                ([source.gauss(0, 1) for _ in range(24)], source.random() < 0.4)
                for _ in range(self.size)
            ]
            self.ready.put((number, batch))

    def __iter__(self):
        for worker in self.workers:
            worker.start()
        for _ in range(self.batches):
            yield self.ready.get()
