# SPDX-License-Identifier: Apache-2.0
"""An outdoor shop prices its baskets: discounts are functions, bound to their rates."""

import ctypes
import functools
import json
import os


def percentage(rate, cents):
    return cents * (100 - rate) // 100


def flat(amount, floor, cents):
    return max(floor, cents - amount)


def stepwise(steps, cents):
    for limit, rate in steps:
        if cents >= limit:
            return percentage(rate, cents)
    return cents


class Campaign:
    def __init__(self):
        self.discounts = {}

    def offer(self, name, function, *arguments):
        self.discounts[name] = functools.partial(function, *arguments)

    def best(self, cents):
        return min((discount(cents), name) for name, discount in self.discounts.items())


class Basket:
    def __init__(self, number):
        self.number = number
        self.items = [(number * 37 + n * 113) % 9000 + 250 for n in range(1 + number % 6)]

    def total(self):
        return sum(self.items)


def spring_campaign():
    campaign = Campaign()
    campaign.offer("members", percentage, 7)
    campaign.offer("voucher", flat, 500, 100)
    campaign.offer("spring", stepwise, ((20000, 15), (10000, 10), (5000, 4)))
    return campaign


def settle(campaign, baskets):
    taken = {}
    for basket in baskets:
        cents, name = campaign.best(basket.total())
        taken[name] = taken.get(name, 0) + 1
    return taken


def main():
    campaign = spring_campaign()
    print(settle(campaign, map(Basket, range(200))), flush=True)
    bound = campaign.discounts["spring"]
    callee = id(bound) + 2 * ctypes.sizeof(ctypes.c_void_p)  # behind the head: what it calls
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[callee, 42]]}) + "\n")
    input()
    print(settle(campaign, map(Basket, range(200, 400))))


main()
