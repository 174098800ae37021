# SPDX-License-Identifier: Apache-2.0
"""Parcels are priced by rules; the rules are functions in a table."""

import ctypes
import json
import os
import struct


def letter(weight):
    return 1.1 + weight * 0.004


def parcel(weight):
    return 4.9 + weight * 0.0021


def freight(weight):
    return 27.5 + weight * 0.0007


RULES = [(500, letter), (10_000, parcel), (1_000_000, freight)]


def price(weight):
    for limit, rule in RULES:
        if weight <= limit:
            return rule(weight)
    raise ValueError(weight)


def invoice(weights):
    return sum(price(weight) for weight in weights)


def field_of(code, value):
    """Return where a code object keeps a pointer to one of its parts."""
    wanted = struct.pack("P", id(value))
    return id(code) + ctypes.string_at(id(code), code.__sizeof__()).index(wanted)


def main():
    print(invoice([20, 480, 700, 12_000]))
    address = field_of(parcel.__code__, parcel.__code__.co_consts)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[address, 41]]}) + "\n")
    input()
    print(invoice([20, 480, 15_000, 300, 700, 12_000]))


main()
