# SPDX-License-Identifier: Apache-2.0
"""Prices a list of parcels."""

import argparse
import os


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=float, nargs="*", default=[0.4, 2.0, 11.5])
    options = parser.parse_args(argv)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    from pricing import tariffs

    for weight in options.weights:
        print(weight, "kg:", tariffs.price(weight), tariffs.CURRENCY)


if __name__ == "__main__":
    main()
