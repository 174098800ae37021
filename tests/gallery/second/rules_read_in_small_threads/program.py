# SPDX-License-Identifier: Apache-2.0
"""Alarm rules of many customers are evaluated by threads with small stacks: there are hundreds."""

import itertools
import threading

import rules

threading.stack_size(192 * 1024)


class Customer:
    def __init__(self, name, rule):
        self.name = name
        self.rule = rule
        self.alarms = 0

    def tighten(self, limit):
        """The editor of rules adds a condition around what is there."""
        self.rule = f"(({self.rule}) & level > {limit})"


class Watcher(threading.Thread):
    def __init__(self, customer, levels, barrier):
        super().__init__(name=f"watch-{customer.name}", daemon=True)
        self.customer = customer
        self.levels = levels
        self.barrier = barrier
        self.failure = None

    def run(self):
        self.barrier.wait()
        for level in self.levels:
            try:
                if rules.evaluate(self.customer.rule, level):
                    self.customer.alarms += 1
            except ValueError as error:
                self.failure = error


def customers(count):
    for number in range(count):
        low, high = number % 7 / 2, 6 + number % 5 / 2
        yield Customer(f"c{number:03}", f"level > {high} | !(level > {low})")


def main():
    everybody = list(customers(120))
    for round_number in range(12):
        for customer in everybody:
            customer.tighten(round_number / 10)
    busy = everybody[88]
    for change in range(1800):  # a script of the customer saves the rule every hour
        busy.tighten(change % 50 / 100)
    levels = list(itertools.islice(itertools.cycle([0.5, 3.2, 7.7, 9.1]), 200))
    barrier = threading.Barrier(len(everybody))
    watchers = [Watcher(customer, levels, barrier) for customer in everybody]
    for watcher in watchers:
        watcher.start()
    for watcher in watchers:
        watcher.join()
    print(sum(customer.alarms for customer in everybody))


main()
