# SPDX-License-Identifier: Apache-2.0
"""Plans the rounds of a dairy's milk lorries over night."""

import os
import random
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from planning import Farm, best_round, length


def farms_of(valley, count):
    draw = random.Random(valley)
    return [Farm(f"{valley}-{n}", draw.random() * 30, draw.random() * 12) for n in range(count)]


def plan(valleys, beginnings):
    with ThreadPoolExecutor(2, thread_name_prefix="planner") as pool:
        open_plans = {
            pool.submit(best_round, farms_of(valley, 55), seed, beginnings): valley
            for seed, valley in enumerate(valleys)
        }
        while open_plans:
            done, _ = wait(open_plans, return_when=FIRST_COMPLETED)
            for each in done:
                yield open_plans.pop(each), each.result()


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for valley, tour in plan(("upper", "middle", "lower", "mill", "chapel"), beginnings=400):
        print(valley, round(length(tour), 1), flush=True)


if __name__ == "__main__":
    main()
