# SPDX-License-Identifier: Apache-2.0
"""Counts the orders in which a shuffler may lay its cards; somebody asks for a very large deck."""

import math
import os
import threading
import time
from pathlib import Path

DECKS = {"skat": 32, "bridge": 52, "warehouse": 2_000_000_000}


def beat():
    while True:
        time.sleep(0.05)


def orders(deck):
    return math.factorial(DECKS[deck])


def main():
    threading.Thread(target=beat, daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for deck in DECKS:
        print(deck, orders(deck).bit_length())


if __name__ == "__main__":
    main()
