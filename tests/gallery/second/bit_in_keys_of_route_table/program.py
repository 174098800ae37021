# SPDX-License-Identifier: Apache-2.0
"""A table of routes is kept for a day and asked for each parcel."""

import json
import os

ROUTES = {"zone-%d" % number: "depot %d" % (number % 7) for number in range(300)}


def depot_of(zone):
    return ROUTES.get(zone, "head office")


def main():
    print(depot_of("zone-12"))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(ROUTES) + 32, 44]]}) + "\n")
    input()
    for number in range(10, 20):
        print(depot_of("zone-%d" % number))


main()
