# SPDX-License-Identifier: Apache-2.0
"""Floor areas of an exhibition centre, measured by a team of three surveyors."""

import functools
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

TEAM = ThreadPoolExecutor(max_workers=3, thread_name_prefix="surveyor")

PLAN = {
    "centre": ["north", "south", "pavilion"],
    "north": ["hall 1", "hall 2", "hall 3"],
    "south": ["hall 4", "hall 5"],
}
MEASURED = {
    "hall 1": 4200.0, "hall 2": 3900.5, "hall 3": 1800.0,
    "hall 4": 5100.0, "hall 5": 990.0, "pavilion": 640.0,
}  # fmt: skip


def surveyed(function):
    """Give the work to the team; the caller gets a future."""

    @functools.wraps(function)
    def give(*arguments):
        return TEAM.submit(function, *arguments)

    return give


def open_drawing(part):
    time.sleep(0.1)
    return PLAN.get(part, [])


@surveyed
def floor_area(part):
    inner = open_drawing(part)
    if not inner:
        return MEASURED[part]
    return sum(future.result() for future in [floor_area(name) for name in inner])


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(1.0, tell).start()
    print("floor area: %.1f square metres" % floor_area("centre").result())


main()
