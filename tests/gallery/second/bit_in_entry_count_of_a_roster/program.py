# SPDX-License-Identifier: Apache-2.0
"""Rosters of wards: looked up by name all day, printed as a whole in the evening."""

import ctypes
import json
import os
import sys

ENTRIES = 24 if sys.version_info >= (3, 11) else 32


class Nurse:
    def __init__(self, name, hours):
        self.name, self.hours = name, hours


def roster(ward, count):
    names = [f"nurse {ward}-{n}" for n in range(count)]
    return {name: Nurse(name, 20 + n % 20) for n, name in enumerate(names)}


def lookups(rosters):
    return sum(found[f"nurse {ward}-3"].hours for ward, found in enumerate(rosters))


def printed(rosters):
    return [f"{name}: {nurse.hours}" for found in rosters for name, nurse in found.items()]


def main():
    rosters = [roster(ward, 25) for ward in range(60)]
    print(lookups(rosters), len(printed(rosters)), flush=True)
    keys = ctypes.c_size_t.from_address(id(rosters[37]) + 32).value
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[keys + ENTRIES, 41]]}) + "\n")
    input()
    for hour in range(8):
        print(hour, lookups(rosters), flush=True)
    print(len(printed(rosters)))


main()
