# SPDX-License-Identifier: Apache-2.0
"""Smooths sonar depths row by row in worker threads."""

import array
import math
import random
from concurrent.futures import ThreadPoolExecutor

from smoother import smooth


def sounding(seed, width=240, height=180):
    chance = random.Random(seed)
    depths = array.array("d", (20 + chance.random() * 4 for _ in range(width * height)))
    if seed % 5 == 4:
        depths[chance.randrange(width * height)] = math.nan
    return depths, width


def main():
    with ThreadPoolExecutor(3, thread_name_prefix="smoother") as pool:
        soundings = [sounding(seed) for seed in range(8)]
        jobs = [pool.submit(smooth, depths, width) for depths, width in soundings]
        for number, job in enumerate(jobs):
            try:
                print("sounding", number, "roughness", round(job.result(), 3), flush=True)
            except ValueError as error:
                print("sounding", number, "skipped:", error, flush=True)


if __name__ == "__main__":
    main()
