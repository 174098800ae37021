# SPDX-License-Identifier: Apache-2.0
"""Least squares for a linear model."""


def predict(weights, features):
    return sum(w * x for w, x in zip(weights, features))


def of(weights, batch):
    total = [0.0] * len(weights)
    for features, target in batch:
        error = predict(weights, features) - target
        for place, feature in enumerate(features):
            total[place] += 2 * error * feature
    return [value / len(batch) for value in total]
