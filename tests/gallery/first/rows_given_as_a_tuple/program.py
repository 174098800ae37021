# SPDX-License-Identifier: Apache-2.0
"""A C extension was written for lists and does not look: a new caller hands it a tuple, whose first
item it takes for the pointer to the items."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import basket


class Order:
    def __init__(self, weights):
        self.weights = weights

    def weight(self):
        return basket.total(self.weights)


def parcels(orders):
    return [order.weight() for order in orders]


def plan_tour(orders):
    weights = parcels(orders)
    return sum(weights), max(weights)


def main():
    print(plan_tour([Order([1.5, 2.0, 0.25])]))
    print(plan_tour([Order((1.5, 2.0, 0.25))]))


main()
