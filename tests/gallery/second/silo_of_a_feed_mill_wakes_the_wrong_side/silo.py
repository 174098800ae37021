# SPDX-License-Identifier: Apache-2.0
"""A silo of bounded size between the dosing line and the lorries."""

import collections
import threading


class Silo:
    """Two conditions over one lock: there is room, and there is feed."""

    def __init__(self, capacity, on_stall=None):
        self.capacity = capacity
        self.batches = collections.deque()
        self.guard = threading.Lock()
        self.has_room = threading.Condition(self.guard)
        self.has_feed = threading.Condition(self.guard)
        self.on_stall = on_stall or (lambda: None)
        self.stalls = 0

    def blow_in(self, batch):
        """Put a batch in; wait while the silo is full."""
        with self.guard:
            while len(self.batches) >= self.capacity:
                self.stalls += 1
                self.on_stall()
                self.has_room.wait()
            self.batches.append(batch)
            self.has_feed.notify()

    def draw(self):
        """Take the oldest batch; wait while the silo is empty."""
        with self.guard:
            while not self.batches:
                self.has_feed.wait()
            batch = self.batches.popleft()
            self.has_feed.notify()
            return batch

    def level(self):
        with self.guard:
            return len(self.batches)
