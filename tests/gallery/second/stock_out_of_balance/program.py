# SPDX-License-Identifier: Apache-2.0
"""The stock of a warehouse, kept in a compiled ledger that checks itself at every closing."""

import stock


def receive(day):
    for article in range(30):
        stock.move(article, (day * 7 + article) % 11)
        if article % 4 == 0:
            stock.move(article, -1)


def main():
    for day in range(6):
        receive(day)
        if day == 4:
            stock.correct(12, 3)
        print(day, stock.close_day(), flush=True)


main()
