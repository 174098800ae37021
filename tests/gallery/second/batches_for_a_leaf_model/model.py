# SPDX-License-Identifier: Apache-2.0
"""A logistic model of leaves, trained by descent."""

import math


class LeafModel:
    def __init__(self, features=24, rate=0.05):
        self.weights = [0.0] * features
        self.bias = 0.0
        self.rate = rate

    def probability(self, sample):
        total = self.bias + sum(w * x for w, x in zip(self.weights, sample))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))

    def step(self, batch):
        """Descend by one batch; return the mean loss."""
        loss = 0.0
        for sample, diseased in batch:
            likely = self.probability(sample)
            error = likely - diseased
            loss -= math.log(max(1e-12, likely if diseased else 1.0 - likely))
            self.bias -= self.rate * error
            for place, value in enumerate(sample):
                self.weights[place] -= self.rate * error * value
        return loss / len(batch)
