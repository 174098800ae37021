# SPDX-License-Identifier: Apache-2.0
"""Loads the receipts of a grocery chain into cubes: shops are read by two processes."""

import csv
import os
import random
from collections import defaultdict
from multiprocessing import get_context
from pathlib import Path

SHOPS = [f"shop_{number:03}" for number in range(1, 161)]
ARTICLES = ("milk", "bread", "rice", "apples", "soap", "tea")


def write_receipts(folder, shop, lines=400):
    dice = random.Random(shop)
    with open(folder / f"{shop}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        for number in range(lines):
            writer.writerow(
                [shop, number % 28 + 1, dice.choice(ARTICLES), dice.randint(1, 9), dice.random()]
            )


def similar(cube, other):
    """How alike two cubes are: every cell is compared with every cell."""
    return sum(
        min(one, two)
        for (day, article), one in cube.items()
        for (another, name), two in other.items()
        if article == name and abs(day - another) < 7
    )


def build_cube(path):
    cube = defaultdict(float)
    with open(path, newline="") as file:
        for shop, day, article, count, price in csv.reader(file):
            cube[int(day), article] += int(count) * float(price)
    shifted = {(day + 1, article): value for (day, article), value in cube.items()}
    weights = [similar(cube, shifted) for _ in range(120)]
    return path.stem, dict(cube), max(weights)


class Warehouse:
    def __init__(self):
        self.cubes = {}
        self.weights = {}

    def load(self, folder, processes=2):
        paths = sorted(folder.glob("*.csv"))
        with get_context("spawn").Pool(processes) as pool:
            for shop, cube, weight in pool.imap_unordered(build_cube, paths, chunksize=4):
                self.cubes[shop] = cube
                self.weights[shop] = weight
                yield shop


def main():
    folder = Path("receipts")
    folder.mkdir(exist_ok=True)
    for shop in SHOPS:
        write_receipts(folder, shop)
    warehouse = Warehouse()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for number, shop in enumerate(warehouse.load(folder), 1):
        print(f"{number}/{len(SHOPS)} {shop}", flush=True)


if __name__ == "__main__":
    main()
