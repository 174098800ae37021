# SPDX-License-Identifier: Apache-2.0
"""A dispatcher reads its settings from a module; they are looked up for each order."""

import json
import os

import settings

NAMESPACE = 16  # of a module object: head, and then its dict


class Dispatcher:
    def __init__(self):
        self.sent = {}

    def fee(self, weight):
        if weight > settings.HEAVY:
            return settings.HEAVY_FEE + settings.FEE_PER_KILO * weight
        return settings.FEE_PER_KILO * weight

    def dispatch(self, depot, weight):
        self.sent[depot] = self.sent.get(depot, 0) + self.fee(weight)


def day(dispatcher, orders):
    for number in range(orders):
        dispatcher.dispatch(settings.DEPOTS[number % len(settings.DEPOTS)], number % 60)
    return sum(dispatcher.sent.values())


def main():
    dispatcher = Dispatcher()
    print(day(dispatcher, 5000), flush=True)
    with open("ready", "w") as file:
        place = id(settings) + NAMESPACE
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 43]]}) + "\n")
    input()
    print(day(dispatcher, 5000), flush=True)


main()
