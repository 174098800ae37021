# SPDX-License-Identifier: Apache-2.0
"""A feed process writes quotes into shared memory, this one averages them."""

import multiprocessing
import os
import time
from pathlib import Path

from board import QuoteBoard


def feed(board, listing):
    price = 10000
    for tick in range(1_000_000):
        price += (tick * 7919) % 11 - 5
        board.write(listing[tick % len(listing)], price)
        if tick == 5000:
            listing.append(board.symbols)  # a new share, listed today


def average(board):
    return sum(board.read(symbol) for symbol in range(board.symbols)) / board.symbols


def main():
    context = multiprocessing.get_context("fork")
    with QuoteBoard.create(symbols=200) as board:
        listing = list(range(board.symbols))
        feeder = context.Process(target=feed, args=(board, listing), name="feed", daemon=True)
        feeder.start()
        time.sleep(1.5)
        Path("ready").write_text(f"{os.getpid()}\n")
        while True:
            print(average(board), flush=True)
            time.sleep(0.1)


if __name__ == "__main__":
    main()
