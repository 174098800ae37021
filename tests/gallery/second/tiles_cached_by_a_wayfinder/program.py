# SPDX-License-Identifier: Apache-2.0
"""Works out the ascents of hiking trails; the next trail is asked for by a line."""

import json
import os
import sys

from terrain import Terrain, climb


def trail(seed, length=400):
    x, y = 700, 700
    for step in range(length):
        x = (x + 37 + seed * step) % 900
        y = (y + 53 + seed + step) % 900
        yield x, y


def announce(terrain):
    tile = terrain.tile(4, 4)
    for column in range(7):
        terrain.tile(column, 8)
    with open("ready", "w") as told:
        told.write(json.dumps({"pid": os.getpid(), "memory": [[tile + 8 + 5, 2]]}) + "\n")


def main():
    terrain = Terrain()
    print("first trail:", climb(terrain, trail(3)), "m", flush=True)
    announce(terrain)
    for seed, _ in enumerate(iter(sys.stdin.readline, ""), 5):
        print("next trail:", climb(terrain, trail(seed)), "m", flush=True)


if __name__ == "__main__":
    main()
