# SPDX-License-Identifier: Apache-2.0
"""A hash of many rounds raises a number to a power, which takes some seconds and then ends."""

import os
from pathlib import Path

ROUNDS = 9_000_000


def stretch(seed):
    return seed**ROUNDS % (2**521 - 1)


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for seed in range(3, 60, 2):
        print(seed, stretch(seed))


if __name__ == "__main__":
    main()
