# SPDX-License-Identifier: Apache-2.0
"""A crew of processes that check passport numbers from a common queue."""

import multiprocessing
import os

fork = multiprocessing.get_context("fork")
WEIGHTS = (7, 3, 1)


def check_digit(number):
    total = 0
    for place, letter in enumerate(number):
        value = int(letter, 36)
        total += value * WEIGHTS[place % 3]
    return total % 10


class Checker(fork.Process):
    def __init__(self, name, numbers, answers):
        super().__init__(name=name, daemon=True)
        self.numbers = numbers
        self.answers = answers

    def run(self):
        while True:
            ticket, number, digit = self.numbers.get()
            self.answers.put((ticket, check_digit(number) == digit, os.getpid()))


class Crew:
    def __init__(self, size):
        self.numbers = fork.Queue()
        self.answers = fork.Queue()
        self.members = [
            Checker(f"checker {place}", self.numbers, self.answers) for place in range(size)
        ]
        for member in self.members:
            member.start()

    def check(self, passports):
        for ticket, (number, digit) in enumerate(passports):
            self.numbers.put((ticket, number, digit))
        found = [self.answers.get() for _ in passports]
        return [valid for _, valid, _ in sorted(found)]
