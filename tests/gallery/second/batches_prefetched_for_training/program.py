# SPDX-License-Identifier: Apache-2.0
"""Training run: loader threads read batches ahead while the main thread fits the model."""

import math
import os
import queue
import random
import threading

FEATURES = 12


class Loader:
    """Reads batches in the background, never more than a few ahead."""

    def __init__(self, threads, ahead):
        self.batches = queue.Queue(maxsize=ahead)
        for number in range(threads):
            name = "loader-%d" % number
            threading.Thread(target=self.fill, args=(number,), name=name, daemon=True).start()

    def fill(self, seed):
        draw = random.Random(seed)
        while True:
            rows = [[draw.uniform(-1, 1) for _ in range(FEATURES)] for _ in range(600)]
            self.batches.put([(row, float(sum(row[:3]) > 0)) for row in rows])


class Model:
    """A logistic regression."""

    def __init__(self):
        self.weights = [0.0] * FEATURES
        self.steps = 0

    def predict(self, row):
        return 1 / (1 + math.exp(-sum(w * x for w, x in zip(self.weights, row))))

    def fit(self, batch, rounds, rate=0.05):
        for _ in range(rounds):
            for row, wanted in batch:
                error = wanted - self.predict(row)
                self.weights = [w + rate * error * x for w, x in zip(self.weights, row)]
            self.steps += 1


def main():
    loader, model = Loader(threads=2, ahead=2), Model()
    for epoch in range(40):
        model.fit(loader.batches.get(), rounds=400)
        print("epoch %d: %s" % (epoch, model.weights[:3]), flush=True)


with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
main()
