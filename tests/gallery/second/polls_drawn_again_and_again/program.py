# SPDX-License-Identifier: Apache-2.0
"""How sure is a survey? Its answers are drawn again thousands of times, region by region."""

import json
import os
import random
import threading
import time

REGIONS, DRAWS = 240, 1500


class Results:
    def __init__(self):
        self.lock = threading.Lock()
        self.spreads = {}
        self.draws_done = 0


def answers_of(region):
    chance = random.Random(region)
    return [chance.random() < 0.3 + region / 1000 for _ in range(2000)]


def spread_of(answers, chance, results):
    means = []
    for _ in range(DRAWS):
        sample = chance.choices(answers, k=len(answers))
        means.append(sum(sample) / len(sample))
        results.draws_done += 1
    means.sort()
    return means[DRAWS // 40], means[-DRAWS // 40]


def show_progress(results):
    while len(results.spreads) < REGIONS:
        if results.lock.acquire(timeout=0.5):
            done = len(results.spreads)
            results.lock.release()
            print(f"{done} of {REGIONS} regions", flush=True)
        time.sleep(0.05)


def main():
    results = Results()
    threading.Thread(target=show_progress, args=(results,), daemon=True).start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for region in range(REGIONS):
        with results.lock:
            chance = random.Random(1000 + region)
            results.spreads[region] = spread_of(answers_of(region), chance, results)
    low = min(spread[0] for spread in results.spreads.values())
    high = max(spread[1] for spread in results.spreads.values())
    print(high - low)


main()
