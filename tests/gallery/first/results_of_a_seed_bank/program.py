# SPDX-License-Identifier: Apache-2.0
"""A seed bank has its seeds tried by a second process, which sends what came of them."""

import multiprocessing
import os
from pathlib import Path

SEEDS = {"rye": 0.92, "oat": 0.71, "flax": 0.88}


def try_seeds(results):
    for seed, rate in SEEDS.items():
        results.send((seed, round(rate * 100)))
    results.close()


class Bank:
    def __init__(self):
        self.sown = {}

    def collect(self, ours):
        while True:
            try:
                seed, rate = ours.recv()
            except EOFError:
                break
            self.sown[seed] = rate
        return len(self.sown)


def main():
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    trial = multiprocessing.get_context("fork").Process(target=try_seeds, args=(theirs,))
    trial.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(Bank().collect(ours), "seeds came up")
    trial.join()


if __name__ == "__main__":
    main()
