# SPDX-License-Identifier: Apache-2.0
"""A shop looks up some articles, keeps price curves, and prints its stock list in order."""

from array import array

import stockindex


def load_stock(count):
    return {f"article-{n:04d}": n * 7 % 100 for n in range(count)}


def pick(stock, numbers):
    return [stockindex.lookup(stock, f"article-{n:04d}") for n in numbers]


def price_curves(count):
    return [array("d", [9.95 + n, 9.5, 9.25, 9.0, 8.75, 8.5, 8.25, 8.0]) for n in range(count)]


def stock_list(stock):
    return [f"{name}: {stock[name]}" for name in sorted(stock)]


def main():
    stock = load_stock(300)
    picked = pick(stock, range(40, 200, 5))
    curves = price_curves(400)
    print(len(picked), len(curves))
    print(len(stock_list(stock)))


main()
