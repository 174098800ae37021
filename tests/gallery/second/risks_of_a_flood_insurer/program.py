# SPDX-License-Identifier: Apache-2.0
"""Losses of a flood insurer, drawn for many years by four threads."""

import os
import threading

import numpy as np


class YearsOfLosses:
    def __init__(self, seed, years, towns):
        self.random = np.random.default_rng(seed)
        self.years = years
        self.towns = towns
        self.losses = []

    def draw_year(self):
        levels = self.random.gumbel(2.0, 0.6, (self.towns, 365)).max(axis=1)
        values = self.random.lognormal(11.0, 1.2, self.towns)
        return float((values * np.clip(levels - 5.5, 0.0, 1.0)).sum())

    def draw(self):
        for _ in range(self.years):
            self.losses.append(self.draw_year())


def main():
    draws = [YearsOfLosses(seed, 4000, 900) for seed in range(4)]
    threads = [threading.Thread(target=each.draw, name=f"draw {n}") for n, each in enumerate(draws)]
    for thread in threads:
        thread.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for thread in threads:
        thread.join()
    losses = np.sort(np.concatenate([each.losses for each in draws]))
    print("one in two hundred years:", losses[-len(losses) // 200])


main()
