# SPDX-License-Identifier: Apache-2.0
"""Trains a model that finds diseased leaves; the losses go to a table."""

import os

from loader import PrefetchLoader
from model import LeafModel


class Training:
    def __init__(self, batches=4000, size=300, passes=25):
        self.loader = PrefetchLoader(batches, size)
        self.model = LeafModel()
        self.passes = passes
        self.losses = []

    def run(self):
        for number, batch in self.loader:
            for _ in range(self.passes):
                loss = self.model.step(batch)
            self.losses.append((number, loss))
            if len(self.losses) == 3:
                with open("ready", "w") as told:
                    told.write(f"{os.getpid()}\n")
        return min(self.losses, key=lambda entry: entry[1])


if __name__ == "__main__":
    print("best batch:", Training().run())
