# SPDX-License-Identifier: Apache-2.0
"""Tariff job: finds for each parcel the last weight class that it reaches."""

import os

CLASSES = [0, 500, 1000, 2000, 5000, 10000, 31500]


def class_of_weight(weight):
    low, high = 0, len(CLASSES) - 1
    while low < high:
        middle = (low + high) // 2
        if CLASSES[middle] <= weight:
            low = middle
        else:
            high = middle - 1
    return low


def price_parcels(weights):
    return [CLASSES[class_of_weight(weight)] // 100 for weight in weights]


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(price_parcels([40000, 700, 2600, 31500]))


main()
