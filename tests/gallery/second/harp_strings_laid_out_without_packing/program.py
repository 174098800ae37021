# SPDX-License-Identifier: Apache-2.0
"""A harp maker's workshop: the strings of an instrument are checked by the tuner's C library."""

import argparse
import json

import tuning

HARPS = [
    {"name": "Lark", "strings": 22, "lowest": 130.8},
    {"name": "Heron", "strings": 34, "lowest": 65.4},
]
MATERIALS = ["gut", "nylon", "wire"]


def strings_of(harp):
    """Yield octave, number, frequency, material and wear of each string."""
    for number in range(harp["strings"]):
        hertz = harp["lowest"] * 2 ** (number / 7)
        yield number // 7, number, hertz, MATERIALS[number // 7 % 3], number % 5 == 0


def report(harp, tuner):
    strings = tuner.strings(strings_of(harp))
    answer = {"harp": harp["name"], "strings": len(strings)}
    for material in MATERIALS:
        answer[material] = tuner.count(strings, material)
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", help="the name of one harp")
    options = parser.parse_args()
    tuner = tuning.Tuner()
    print("library", tuner.version, flush=True)
    for harp in HARPS:
        if options.only in (None, harp["name"]):
            print(json.dumps(report(harp, tuner)), flush=True)


if __name__ == "__main__":
    main()
