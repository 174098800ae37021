# SPDX-License-Identifier: Apache-2.0
"""Works out many digits of a constant with whole numbers, as a burn-in of a new server does."""

import math
import os
from pathlib import Path


def digits(count):
    one = 10**count
    total = term = one
    for number in range(1, count):
        term //= number
        total += term
    return total - one + math.isqrt(total * one)


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    sizes = [4_000, 16_000, 60_000, 120_000]
    for size in sizes:
        for turn in range(20):
            print(size, turn, digits(size) % 97)


if __name__ == "__main__":
    main()
