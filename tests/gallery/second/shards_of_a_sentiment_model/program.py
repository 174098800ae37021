# SPDX-License-Identifier: Apache-2.0
"""Trains a small sentiment model on shards that a thread reads ahead."""

import collections
import logging
import os
import queue
import threading
import time
from pathlib import Path

import numpy as np

log = logging.getLogger("train")
FEATURES = 64


class Prefetcher:
    def __init__(self, shards, depth=4):
        self.shards = shards
        self.depth = depth
        self.batches = collections.deque()
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read_shards, name="reader", daemon=True)
        self.reader.start()

    def read_shards(self):
        try:
            for shard in self.shards:
                batch = self.decode(shard)
                with self.changed:
                    while len(self.batches) >= self.depth:
                        self.changed.wait()
                    self.batches.append(batch)
                    self.changed.notify_all()
        except ValueError:
            log.exception("shard skipped")

    @staticmethod
    def decode(shard):
        rows = np.frombuffer(shard, dtype=np.float32).reshape(-1, FEATURES + 1)
        return rows[:, :-1], rows[:, -1]

    def next_batch(self):
        with self.changed:
            while not self.batches:
                self.changed.wait()
            batch = self.batches.popleft()
            self.changed.notify_all()
            return batch


def save_checkpoints(requests):
    while True:
        step, weights = requests.get()
        np.save("checkpoint.npy", weights)


def export_metrics(history):
    while True:
        time.sleep(0.4)
        Path("metrics").write_text(f"steps {len(history)}\n")


def make_shards(count):
    rng = np.random.default_rng(5)
    for number in range(count):
        shard = rng.normal(size=(32, FEATURES + 1)).astype(np.float32).tobytes()
        yield shard[:-7] if number == 37 else shard


def main():
    history, requests = [], queue.Queue()
    threading.Thread(target=save_checkpoints, args=(requests,), daemon=True).start()
    threading.Thread(target=export_metrics, args=(history,), daemon=True).start()
    weights = np.zeros(FEATURES, dtype=np.float32)
    feed = Prefetcher(make_shards(120))
    Path("ready").write_text(f"{os.getpid()}\n")
    for step in range(120):
        inputs, labels = feed.next_batch()
        error = inputs @ weights - labels
        weights -= 0.01 * inputs.T @ error / len(labels)
        history.append(float((error**2).mean()))
        if step % 20 == 0:
            requests.put((step, weights.copy()))


if __name__ == "__main__":
    main()
