# SPDX-License-Identifier: Apache-2.0
"""Bank statements of fixed columns: the columns are slices, made once and used for every line."""

import json
import os

WIDTHS = {"date": 10, "account": 12, "text": 24, "amount": 11, "mark": 2}


def columns(widths):
    start, found = 0, {}
    for name, width in widths.items():
        found[name] = slice(start + 1000, start + width + 1000)
        start += width
    return found


class Statement:
    def __init__(self, layout):
        self.layout = layout
        self.lines = []

    def book(self, day, account, text, amount):
        line = f"{day:10}{account:12}{text:24}{amount:11.2f}CR"
        self.lines.append(" " * 1000 + line)

    def field(self, line, name):
        return line[self.layout[name]].strip()

    def total(self):
        return sum(float(self.field(line, "amount")) for line in self.lines)

    def largest(self):
        best = max(self.lines, key=lambda line: float(self.field(line, "amount")))
        return self.field(best, "date"), self.field(best, "text")

    def accounts(self):
        return {self.field(line, "account") for line in self.lines}


def month(statement, number):
    for day in range(1, 29):
        statement.book(f"2024-{number:02d}-{day:02d}", f"AT{day % 5:010d}", "transfer", day * 1.25)


def main():
    layout = columns(WIDTHS)
    statement = Statement(layout)
    month(statement, 1)
    print("january", statement.total(), len(statement.accounts()), statement.largest(), flush=True)
    with open("ready", "w") as file:
        file.write(
            json.dumps({"pid": os.getpid(), "memory": [[id(layout["amount"]) + 24, 41]]}) + "\n"
        )
    input()
    for number in (2, 3):
        month(statement, number)
        print("month", number, len(statement.accounts()), statement.total(), flush=True)


main()
