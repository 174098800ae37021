# SPDX-License-Identifier: Apache-2.0
import math
import multiprocessing
import os
from concurrent import futures


def vectorise(plan):
    storey, walls = plan
    length = 0.0
    for number in range(walls):
        length += math.hypot(number % 7, number % 11)
    return storey, round(length, 2)


def plans(house, storeys):
    return [(f"{house}/{storey}", 400 + 90 * storey) for storey in range(storeys)]


class Office:
    def __init__(self, houses, processes=1, plans_per_process=3):
        self.houses = houses
        self.options = {
            "max_workers": processes,
            "max_tasks_per_child": plans_per_process,
            "mp_context": multiprocessing.get_context("spawn"),
        }

    def work(self):
        with futures.ProcessPoolExecutor(**self.options) as executor:
            jobs = {}
            for house in self.houses:
                for plan in plans(house, 4):
                    jobs[executor.submit(vectorise, plan)] = plan[0]
            next(futures.as_completed(jobs))
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
            for job in jobs:
                print(jobs[job], job.result(), flush=True)


if __name__ == "__main__":
    Office(["mill", "barn", "chapel"]).work()
