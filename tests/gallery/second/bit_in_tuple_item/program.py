# SPDX-License-Identifier: Apache-2.0
"""A bit of an item pointer of a tuple was flipped from outside."""

import json
import os


class Rule:
    def __init__(self, number):
        self.number = number
        self.weight = number / 7


def evaluate(rules):
    return sum(rule.weight for rule in rules)


def main():
    rules = tuple(Rule(n) for n in range(64))
    at = id(rules) + 24 + 8 * 33
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[at, 39]]}) + "\n")
    input()
    print(evaluate(rules))


main()
