# SPDX-License-Identifier: Apache-2.0
"""A producer of messages: records are gathered in batches and sent by a thread."""

import collections
import threading


class Batch:
    def __init__(self, topic):
        self.topic = topic
        self.records = []
        self.done = threading.Event()

    def complete(self, offset):
        for place, (_, callback) in enumerate(self.records):
            if callback is not None:
                callback(self.topic, offset + place)
        self.done.set()


class Accumulator:
    def __init__(self, batch_size=3):
        self.batch_size = batch_size
        self.ready = threading.Condition()
        self.open = {}
        self.full = collections.deque()
        self.incomplete = set()

    def append(self, topic, record, callback):
        with self.ready:
            batch = self.open.get(topic)
            if batch is None:
                batch = self.open[topic] = Batch(topic)
                self.incomplete.add(batch)
            batch.records.append((record, callback))
            if len(batch.records) >= self.batch_size:
                self.full.append(self.open.pop(topic))
                self.ready.notify()

    def begin_flush(self):
        with self.ready:
            self.full.extend(self.open.values())
            self.open.clear()
            self.ready.notify()

    def await_flush(self):
        for batch in list(self.incomplete):
            batch.done.wait()

    def next_batch(self):
        with self.ready:
            while not self.full:
                self.ready.wait()
            return self.full.popleft()


class Producer:
    def __init__(self, broker):
        self.accumulator = Accumulator()
        self.broker = broker
        self._sender = threading.Thread(target=self._send_loop, name="sender", daemon=True)
        self._sender.start()

    def send(self, topic, record, callback=None):
        self.accumulator.append(topic, record, callback)

    def flush(self):
        self.accumulator.begin_flush()
        self.accumulator.await_flush()

    def _send_loop(self):
        while True:
            batch = self.accumulator.next_batch()
            offset = self.broker.store(batch.topic, [record for record, _ in batch.records])
            batch.complete(offset)
            self.accumulator.incomplete.discard(batch)
