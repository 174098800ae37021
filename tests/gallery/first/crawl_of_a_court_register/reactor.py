# SPDX-License-Identifier: Apache-2.0
import heapq
import itertools
import select
import time


class Reactor:
    def __init__(self):
        self.calls = []
        self.order = itertools.count()
        self.running = False

    def call_later(self, delay, function, *args):
        heapq.heappush(self.calls, (time.monotonic() + delay, next(self.order), function, args))

    def run(self):
        self.running = True
        while self.running:
            pause = max(0, self.calls[0][0] - time.monotonic()) if self.calls else None
            select.select([], [], [], pause)
            while self.calls and self.calls[0][0] <= time.monotonic():
                _, _, function, args = heapq.heappop(self.calls)
                function(*args)

    def stop(self):
        self.running = False
