# SPDX-License-Identifier: Apache-2.0
"""A terminal of a trading desk prints quotes through a pager; a quote that is too old closes it."""

import sys


class Pager:
    __slots__ = ("under",)

    def __init__(self, under):
        self.under = under

    def write(self, text):
        return self.under.write(text)

    def flush(self):
        self.under.flush()


class Quote:
    def __init__(self, name, price, age):
        self.name, self.price, self.age = name, price, age

    def __str__(self):
        if self.age > 60:
            close_pager()
        return "%s %.2f" % (self.name, self.price)


def open_pager():
    sys.stdout = Pager(sys.__stdout__)


def close_pager():
    sys.stdout = sys.__stdout__


def show(quotes):
    print(*quotes, sep="\n")


def main():
    open_pager()
    show([Quote("AAA", 12.5, 3), Quote("BBB", 7.25, 12)])
    show([Quote("CCC", 3.5, 5), Quote("DDD", 99.0, 600), Quote("EEE", 1.0, 2)])
    close_pager()


main()
