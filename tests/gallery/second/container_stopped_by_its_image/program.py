# SPDX-License-Identifier: Apache-2.0
"""Worker in a container whose image says STOPSIGNAL SIGQUIT: it makes statements, one a second."""

import os
import time


class Statements:
    def __init__(self):
        self.lines = {}

    def add(self, customer, cents):
        self.lines.setdefault(customer, []).append(cents)

    def render(self, customer):
        rows = [f"{number:>3} {cents / 100:>9.2f}" for number, cents in self.lines_of(customer)]
        return "\n".join(rows)

    def lines_of(self, customer):
        return enumerate(self.lines.get(customer, ()), 1)


def run(statements):
    for number in range(10000):
        statements.add(number % 10, number * 125)
        print(statements.render(number % 10), flush=True)
        if number == 20:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
        time.sleep(0.01 if number < 20 else 30)


run(Statements())
