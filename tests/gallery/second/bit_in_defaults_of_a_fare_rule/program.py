# SPDX-License-Identifier: Apache-2.0
"""Fares of a bus company: rules with usual values for what a ticket does not say."""

import ctypes
import json
import os


def fare(zones, base=180, per_zone=65, rebate=0):
    return max(base + zones * per_zone - rebate, 0)


def word_of(owner, value):
    """Return the address of the word of an object that points to another."""
    size = type(owner).__basicsize__ // 8
    words = (ctypes.c_size_t * size).from_address(id(owner))
    return id(owner) + 8 * list(words).index(id(value))


def day(tickets):
    return sum(fare(zones) for zones in tickets)


def main():
    tickets = [number % 7 + 1 for number in range(500)]
    print(sum(fare(zones, 180, 65, 0) for zones in tickets), flush=True)
    where = word_of(fare, fare.__defaults__)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[where, 43]]}) + "\n")
    input()
    for number in range(3):
        print(number, day(tickets), flush=True)


main()
