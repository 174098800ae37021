# SPDX-License-Identifier: Apache-2.0
"""Orders of a workshop, kept by their urgency in a small compiled heap for each bench."""

import urgency


class Order:
    def __init__(self, number):
        self.number = number
        self.hours = 1 + number * 7 % 40


class Bench:
    def __init__(self, number):
        self.number = number
        self.queue = urgency.queue(8)
        self.done = []

    def take(self, order):
        return urgency.push(self.queue, order.hours, order)


def distribute(benches, orders):
    refused = [order for order in orders if not benches[order.number % len(benches)].take(order)]
    return len(refused)


def plan_of_the_week(benches):
    return {bench: [[day, bench.done, bench.number] for day in range(7)] for bench in benches}


def main():
    benches = [Bench(number) for number in range(300)]
    orders = [Order(number) for number in range(2 * len(benches))]
    print(distribute(benches, orders), flush=True)
    urgent = [Order(number) for number in range(600, 3300) if number % 300 >= 100]
    print(distribute(benches, urgent), flush=True)
    plans = []
    for week in range(20):
        plans.append(plan_of_the_week(benches))
        print(week, len(plans[-1]), flush=True)


main()
