# SPDX-License-Identifier: Apache-2.0
import heapq
import threading
import time


class Every:
    def __init__(self, seconds):
        self.seconds = seconds

    def __set_name__(self, owner, name):
        self.name = name

    def __call__(self, method):
        self.method = method
        return self

    def __get__(self, instance, owner):
        return self if instance is None else self.method.__get__(instance)


class Beat:
    """Hands the due methods of a plan to a pool of workers."""

    def __init__(self, plan, hand_over):
        self.plan = plan
        self.hand_over = hand_over
        self.wake = threading.Condition()
        self.heap = [
            (time.monotonic() + entry.seconds, name)
            for name, entry in vars(type(plan)).items()
            if isinstance(entry, Every)
        ]
        heapq.heapify(self.heap)

    def run(self):
        with self.wake:
            while self.heap:
                due, name = self.heap[0]
                pause = due - time.monotonic()
                if pause > 0:
                    self.wake.wait(pause)
                    continue
                entry = getattr(type(self.plan), name)
                heapq.heapreplace(self.heap, (due + entry.seconds, name))
                self.hand_over(getattr(self.plan, name))
