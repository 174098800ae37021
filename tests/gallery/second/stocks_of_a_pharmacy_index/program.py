# SPDX-License-Identifier: Apache-2.0
"""Keeps the stock of a chain of pharmacies in memory and answers the tills."""

import json
import os
import sys
import threading
import time
from pathlib import Path


class Article:
    __slots__ = ("number", "name", "pieces")

    def __init__(self, number, name, pieces):
        self.number, self.name, self.pieces = number, name, pieces


class Stock:
    def __init__(self, articles):
        self.articles = [Article(n, f"article {n}", 7 * n % 90) for n in range(articles)]

    def pieces(self):
        return sum(article.pieces for article in self.articles)


def heartbeat():
    while True:
        time.sleep(0.4)


def main():
    stock = Stock(20_000)
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    print(stock.pieces(), flush=True)
    type_field = id(stock.articles[12_345]) + 8
    Path("ready").write_text(json.dumps({"pid": os.getpid(), "memory": [[type_field, 43]]}) + "\n")
    sys.stdin.readline()
    print(stock.pieces(), flush=True)


if __name__ == "__main__":
    main()
