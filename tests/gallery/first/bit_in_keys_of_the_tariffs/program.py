# SPDX-License-Identifier: Apache-2.0
"""Parcels are charged by the tariff of their zone."""

import json
import os


def tariffs(zones):
    return {"zone-%d" % zone: 3.5 + zone / 4 for zone in range(zones)}


def charge(prices, parcels):
    return sum(prices["zone-%d" % (number % 200)] * weight for number, weight in parcels)


def main():
    prices = tariffs(200)
    parcels = [(number, 1 + number % 5) for number in range(1000)]
    print(charge(prices, parcels))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(prices) + 32, 38]]}) + "\n")
    input()
    print(charge(prices, parcels))


main()
