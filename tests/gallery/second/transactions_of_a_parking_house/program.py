# SPDX-License-Identifier: Apache-2.0
import argparse
import ctypes
import pathlib
import random
from concurrent.futures import ThreadPoolExecutor

lib = ctypes.CDLL(str(pathlib.Path(__file__).resolve().with_name("garage.so")))


def enter(car):
    level, plate = car
    return lib.garage_enter(level, plate)


def arrivals(cars, seed):
    chance = random.Random(seed)
    for _ in range(cars):
        yield chance.randrange(4), chance.randrange(1000, 99999)


def main():
    parser = argparse.ArgumentParser(description="Simulates a day of a parking house.")
    parser.add_argument("--cars", type=int, default=40000)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    with ThreadPoolExecutor(1, thread_name_prefix="gate") as gate:
        for _ in gate.map(enter, arrivals(options.cars, options.seed)):
            pass
    print(lib.garage_cars())


if __name__ == "__main__":
    main()
