# SPDX-License-Identifier: Apache-2.0
"""A broker pickles snapshots of its queues; large payloads go out of band when that is possible."""

import pickle
import threading
import time
from dataclasses import dataclass, field

LARGE = 1 << 20


class Payload:
    """Bytes of a message in a buffer of the pool."""

    def __init__(self, pool, size):
        self.pool = pool
        self.data = pool.take(size)
        self.buffer = None

    def __reduce_ex__(self, protocol):
        self.buffer = pickle.PickleBuffer(self.data)
        return bytearray, (self.buffer,)

    def give_back(self):
        if self.buffer is not None:
            self.buffer.release()
        self.data = self.pool.give_back(self.data)


class Pool:
    def __init__(self):
        self.free = []
        self.lock = threading.Lock()
        self.kept = 4

    def take(self, size):
        with self.lock:
            for index, each in enumerate(self.free):
                if len(each) == size:
                    return self.free.pop(index)
        return bytearray(size)

    def give_back(self, data):
        with self.lock:
            if len(self.free) < self.kept:
                self.free.append(data)
            else:
                data.clear()


@dataclass
class Message:
    number: int
    topic: str
    payload: Payload
    headers: dict = field(default_factory=dict)


class Snapshot:
    def __init__(self, budget):
        self.budget = budget
        self.out_of_band = []
        self.bytes = 0
        self.messages = {}

    def add(self, message):
        self.messages[len(message.payload.data)] = message

    def place(self, buffer):
        """Keep a buffer out of band; what exceeds the budget goes in band."""
        with buffer.raw() as view:
            size = view.nbytes
        if self.bytes + size <= self.budget:
            self.bytes += size
            self.out_of_band.append(buffer)
            return None
        self.evict(size)
        return True

    def evict(self, size):
        """A message over the budget is not worth its place in the pool."""
        message = self.messages.pop(size, None)
        if message is not None:
            message.payload.give_back()


class Broker:
    def __init__(self):
        self.pool = Pool()
        self.pool.free = [bytearray(64) for _ in range(4)]
        self.queues = {"orders": [], "images": [], "audit": []}
        self.stop = threading.Event()
        self.beats = 0

    def beat(self):
        while not self.stop.wait(0.01):
            self.beats += 1

    def publish(self, count):
        for number in range(count):
            topic = ("orders", "audit", "images")[number % 3]
            size = LARGE + 4096 * number if topic == "images" else 200 + number
            headers = {"sent": time.time(), "ttl": 60 + number % 5}
            self.queues[topic].append(Message(number, topic, Payload(self.pool, size), headers))

    def snapshot(self, topic, budget):
        snapshot = Snapshot(budget)
        for message in self.queues[topic]:
            snapshot.add(message)
        state = [(m.number, m.headers, m.payload) for m in self.queues[topic]]
        data = pickle.dumps(state, protocol=5, buffer_callback=snapshot.place)
        return len(data), len(snapshot.out_of_band)


def main():
    broker = Broker()
    heart = threading.Thread(target=broker.beat, name="heartbeat", daemon=True)
    heart.start()
    broker.publish(60)
    print(broker.snapshot("orders", 1 << 30), broker.snapshot("audit", 1 << 30), flush=True)
    print(broker.snapshot("images", 6 * LARGE), flush=True)
    broker.stop.set()


main()
