# SPDX-License-Identifier: Apache-2.0
"""Classes of the soils of a vineyard, plot by plot, by a native classifier."""

import os
from concurrent.futures import ThreadPoolExecutor

import soilclass


class Plot:
    def __init__(self, name, clay, sand, lime):
        self.name = name
        self.shares = (clay, sand, lime)

    def classify(self):
        return soilclass.classify(*self.shares)


def main():
    plots = [
        Plot(f"plot {n}", 0.1 + n % 5 * 0.1, 0.5 - n % 3 * 0.1, n % 7 * 0.05) for n in range(40)
    ]
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    with ThreadPoolExecutor(3, "soil") as executor:
        for plot, kind in zip(plots, executor.map(Plot.classify, plots)):
            print(plot.name, kind, flush=True)


if __name__ == "__main__":
    main()
