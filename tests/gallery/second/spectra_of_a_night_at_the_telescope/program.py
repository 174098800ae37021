# SPDX-License-Identifier: Apache-2.0
"""The light curves of one night are searched for periods; the batch system has a time limit."""

import array
import json
import math
import os
import random
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass


@dataclass
class Curve:
    star: str
    time: array.array
    light: array.array


class Night:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.periods = {}

    def observe(self, stars):
        for number in range(stars):
            frequency = 0.2 + self.random.random() * 4
            time = array.array("d", sorted(self.random.random() * 8 for _ in range(1500)))
            noise = self.random.gauss
            light = array.array(
                "d", (math.sin(2 * math.pi * frequency * t) + noise(0, 0.4) for t in time)
            )
            yield Curve(f"V{number:04}", time, light)

    def search(self, curve):
        import spectra

        return curve.star, spectra.strongest(curve.time, curve.light, 0.1, 5.0, 6000)

    def analyse(self, stars):
        with ThreadPoolExecutor(2, thread_name_prefix="search") as pool:
            waiting = [pool.submit(self.search, curve) for curve in self.observe(stars)]
            with open("ready", "w") as file:
                file.write(json.dumps(os.getpid()) + "\n")
            for done in as_completed(waiting):
                star, (frequency, power) = done.result()
                self.periods[star] = (1 / frequency, power)
                print(f"{len(self.periods)}/{len(waiting)} {star} {1 / frequency:.3f}", flush=True)


def main():
    night = Night(5)
    night.analyse(400)
    print(min(night.periods.values()))


main()
