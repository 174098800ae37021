# SPDX-License-Identifier: Apache-2.0
"""A broker in memory: queues, deliveries, acknowledgements."""

import collections
import itertools
import threading
from dataclasses import dataclass


@dataclass
class Delivery:
    tag: int
    body: str
    redelivered: int = 0


class Channel:
    def __init__(self):
        self._ready = collections.deque()
        self._unacked = {}
        self._tags = itertools.count(1)
        self._changed = threading.Condition()
        self.settled = 0

    def publish(self, body):
        with self._changed:
            self._ready.append(Delivery(next(self._tags), body))
            self._changed.notify_all()

    def receive(self):
        with self._changed:
            while not self._ready:
                self._changed.wait()
            delivery = self._ready.popleft()
            self._unacked[delivery.tag] = delivery
            return delivery

    def ack(self, tag):
        with self._changed:
            del self._unacked[tag]
            self.settled += 1
            self._changed.notify_all()

    def nack(self, tag, requeue=True):
        with self._changed:
            delivery = self._unacked.pop(tag)
            if requeue:
                delivery.redelivered += 1
                self._ready.appendleft(delivery)
            else:
                self.settled += 1
            self._changed.notify_all()

    def wait_settled(self, count):
        with self._changed:
            while self.settled < count:
                self._changed.wait()
