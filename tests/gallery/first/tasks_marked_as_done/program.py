# SPDX-License-Identifier: Apache-2.0
"""A board of tasks, each with an owner, marked as done when they are."""

import board


class Owner:
    def __init__(self, name):
        self.name = name
        self.finished = 0


def sprint(tasks):
    for task in tasks:
        task.start()
    for task in tasks[::3]:
        task.done = True
    return sum(task.hours for task in tasks if task.done)


def report(tasks):
    hours = {}
    for task in tasks:
        hours[task.owner.name] = hours.get(task.owner.name, 0) + task.hours
    return hours


def main():
    owners = [Owner(f"owner {n}") for n in range(40)]
    tasks = [board.Task(owners[n % 40], n % 9) for n in range(400)]
    print(len(report(tasks)), flush=True)
    print(sprint(tasks), flush=True)
    print(report(tasks))


main()
