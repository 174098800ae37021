# SPDX-License-Identifier: Apache-2.0
"""Groups customers by what they buy: many rounds of k-means each night."""

import os
import random

ROUNDS = 50000
GROUPS = 9


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def nearest(centres, customer):
    best, least = 0, None
    for number, centre in enumerate(centres):
        distance = sum((one - other) ** 2 for one, other in zip(centre, customer))
        if least is None or distance < least:
            best, least = number, distance
    return best


def group(customers, centres):
    for _ in range(ROUNDS):
        members = [[] for _ in centres]
        for customer in customers:
            members[nearest(centres, customer)].append(customer)
        centres = [
            [sum(column) / len(rows) for column in zip(*rows)] if rows else centre
            for rows, centre in zip(members, centres)
        ]
    return centres


def main():
    chance = random.Random(11)
    customers = [[chance.random() for _ in range(6)] for _ in range(1500)]
    tell()
    print(group(customers, customers[:GROUPS]))


main()
