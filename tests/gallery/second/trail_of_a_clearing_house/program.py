# SPDX-License-Identifier: Apache-2.0
"""Keep the trail of a clearing house: one line of text for all that happened to a payment."""

import trail


class Book:
    def __init__(self, pages):
        self.pages = [[page * 1000 + entry for entry in range(120)] for page in range(pages)]
        self.pages = [list(tuple(page)) for page in self.pages]

    def balance(self):
        return sum(sum(page) for page in self.pages)


def settle(line, payment):
    for step in range(payment):
        line.note("step%d" % step, "checked by desk %d" % (step % 7))


def main():
    book = Book(80)
    print(book.balance())
    del book.pages[40]
    line = trail.Line(960)
    settle(line, 20)
    print(line.length())
    settle(line, 40)
    print("noted")
    print(book.balance())


main()
