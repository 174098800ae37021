# SPDX-License-Identifier: Apache-2.0
"""Places the stakes of a desk at a betting exchange."""

import os
from pathlib import Path

from exchange import Book, Connection
from floor import open_floor


def main():
    book = Book(Connection(open_floor()), "ascot-1430")
    Path("ready").write_text(f"{os.getpid()}\n")
    for horse, stake in (("juno", 40), ("hector", 25), ("juno", 30), ("pallas", 60), ("juno", 10)):
        print(horse, book.back(horse, stake), flush=True)
    print(book.odds)


if __name__ == "__main__":
    main()
