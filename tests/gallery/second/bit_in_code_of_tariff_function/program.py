# SPDX-License-Identifier: Apache-2.0
"""Tariffs of a telephone company, one function for each; most are rarely used."""

import ctypes
import json
import os


def by_minute(seconds):
    return (seconds + 59) // 60 * 9


def by_second(seconds):
    return seconds * 9 // 60


TARIFFS = {"business": by_minute, "private": by_second}


def bill(tariff, calls):
    return sum(TARIFFS[tariff](seconds) for seconds in calls)


def place_of(function):
    """Where the function keeps the address of its code."""
    words = (ctypes.c_size_t * 16).from_address(id(function))
    return id(function) + 8 * list(words).index(id(function.__code__))


def main():
    print(bill("business", [40, 90, 600]))
    where = place_of(by_second)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[where, 42]]}) + "\n")
    input()
    print(bill("private", [40, 90, 600]))


main()
