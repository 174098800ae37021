# SPDX-License-Identifier: Apache-2.0
"""Read a bank's CSV export; the first line of every page is previewed through the same reader."""

import csv


class PagedLines:
    """The lines of the export, page by page; a new page shows its heading first."""

    def __init__(self, pages):
        self.pages = iter(pages)
        self.lines = iter(())
        self.reader = None
        self.headings = []

    def __iter__(self):
        return self

    def __next__(self):
        for line in self.lines:
            return line
        page = next(self.pages)
        self.lines = iter(page)
        self.headings.append(self.heading())
        return next(self)

    def heading(self):
        try:
            return next(self.reader)
        except StopIteration:
            return []


def statements(pages):
    source = PagedLines(pages)
    source.reader = csv.reader(source, delimiter=";")
    for row in source.reader:
        yield row


def main():
    pages = [
        ["date;text;amount", "2024-03-01;rent;-900", "2024-03-02;salary;2400"],
        ["date;text;amount", "2024-03-05;groceries;-63"],
    ]
    balance = 0
    for row in statements(pages):
        if row[0] != "date":
            balance += int(row[2])
    print(balance)


main()
