# SPDX-License-Identifier: Apache-2.0
"""Replicas of a model that learn from shards of the data and average what they learnt."""

import threading

import gradients


class Replica(threading.Thread):
    def __init__(self, rank, model, batches, barrier):
        super().__init__(name=f"replica-{rank}")
        self.rank, self.model, self.batches, self.barrier = rank, model, batches, barrier

    def run(self):
        for step, batch in enumerate(self.batches):
            self.model.offer(self.rank, gradients.of(self.model.weights, batch))
            self._synchronise(step)

    def _synchronise(self, step):
        if self.barrier.wait() == 0:
            self.model.average()
        self.barrier.wait()


class Model:
    def __init__(self, size):
        self.weights = [0.0] * size
        self._offers = {}
        self._lock = threading.Lock()

    def offer(self, rank, gradient):
        with self._lock:
            self._offers[rank] = gradient

    def average(self):
        with self._lock:
            for place, parts in enumerate(zip(*self._offers.values())):
                self.weights[place] -= 0.01 * sum(parts) / len(parts)


def train(model, samples, replicas, batch_size):
    batches = [samples[n : n + batch_size] for n in range(0, len(samples), batch_size)]
    barrier = threading.Barrier(replicas)
    workers = [Replica(rank, model, batches[rank::replicas], barrier) for rank in range(replicas)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
