# SPDX-License-Identifier: Apache-2.0
"""A column of names in one block with offsets, as columnar stores keep it."""

import json
import os

import column


def longest(names, rows):
    return max(len(names.get(row)) for row in range(rows))


def main():
    rows = 2000
    names = column.Column(rows)
    for row in range(rows):
        names.append(f"customer {row} of the northern region")
    print(longest(names, rows), flush=True)
    with open("ready", "w") as file:
        file.write(
            json.dumps({"pid": os.getpid(), "memory": [[names.offsets() + 8 * 1404, 34]]}) + "\n"
        )
    input()
    for hour in range(3):
        print(hour, longest(names, rows), flush=True)


main()
