# SPDX-License-Identifier: Apache-2.0
"""Sorts a night's parcels with a robot; the office changes its plan once."""

import random

from robot import HeavyPlugin, NumberPlugin, Robot, ShelfPlan


def parcels(source, count, numbers):
    for _ in range(count):
        yield {"number": source.randrange(numbers), "kg": source.uniform(0.2, 36.0)}


def main():
    source = random.Random(19)
    plan = ShelfPlan(90_000)
    numbers = NumberPlugin(plan)
    robot = Robot([HeavyPlugin(), numbers])
    for parcel in parcels(source, 20, 3_600_000):
        robot.put(parcel)
    plan.change(400, "shelf by the door")
    numbers.reload()
    for parcel in parcels(source, 2000, 3_600_000):
        robot.put(parcel)
    print(len(robot.placed), "shelves in use")


if __name__ == "__main__":
    main()
