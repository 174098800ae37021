# SPDX-License-Identifier: Apache-2.0
"""Learns from rain, sun and soil how much an orchard will bear."""

import os
import random
import threading
from pathlib import Path

from replicas import Model, train


class Checkpoints(threading.Thread):
    def __init__(self, model):
        super().__init__(name="checkpoints", daemon=True)
        self.model, self.done, self.kept = model, threading.Event(), []

    def run(self):
        while not self.done.wait(300):
            self.kept.append(list(self.model.weights))


def samples(count):
    draw = random.Random(5)
    for _ in range(count):
        rain, sun, soil = draw.random(), draw.random(), draw.random()
        yield (rain, sun, soil), 3 * rain + 2 * sun + soil


def main():
    model = Model(3)
    checkpoints = Checkpoints(model)
    checkpoints.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    train(model, list(samples(1000)), replicas=4, batch_size=16)
    checkpoints.done.set()
    print(model.weights)


if __name__ == "__main__":
    main()
