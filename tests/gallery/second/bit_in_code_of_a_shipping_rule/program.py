# SPDX-License-Identifier: Apache-2.0
"""Shop: shipping costs by a table of rules; one bit of a rule's pointer to its code is flipped
from outside.
"""

import ctypes
import json
import os


def rule_standard(grams):
    return 490 if grams < 2000 else 690


def rule_express(grams):
    return 990 + grams // 1000 * 150


def rule_abroad(grams):
    return 1490 + grams // 500 * 200


RULES = {"standard": rule_standard, "express": rule_express, "abroad": rule_abroad}


def shipping_costs(orders):
    return sum(RULES[rule](grams) for rule, grams in orders)


def address_of_code(function):
    words = (ctypes.c_size_t * 16).from_address(id(function))
    return id(function) + 8 * list(words).index(id(function.__code__))


def main():
    orders = [(rule, grams) for grams in range(100, 9000, 10) for rule in RULES]
    print(shipping_costs(orders), flush=True)
    victim = address_of_code(rule_express)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 33]]}) + "\n")
    input()
    print(shipping_costs(orders))


main()
