# SPDX-License-Identifier: Apache-2.0
"""Finds products whose embeddings resemble a query."""

import faulthandler
import math
import random

import ranker


def unit(values):
    length = math.sqrt(sum(v * v for v in values))
    return [v / length for v in values]


def main():
    faulthandler.enable()
    dice = random.Random(8)
    products = [unit([dice.random() for _ in range(24)]) for _ in range(3000)]
    for product in products:
        ranker.add(product)
    for product in products[:20]:
        matches = sorted(ranker.search(product), key=lambda match: -match[1])
        print(matches[:3])


if __name__ == "__main__":
    main()
