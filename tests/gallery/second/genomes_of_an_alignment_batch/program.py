# SPDX-License-Identifier: Apache-2.0
"""Aligns reads of genomes with a reference in a pool of processes."""

import multiprocessing
import os
import random
import threading
import time
from pathlib import Path

BASES = "ACGT"


def align(task):
    """Return the score of the best global alignment: Needleman and Wunsch."""
    number, left, right = task
    previous = [-gap for gap in range(len(right) + 1)]
    for row, base in enumerate(left, 1):
        current = [-row]
        for column, other in enumerate(right, 1):
            match = previous[column - 1] + (1 if base == other else -1)
            current.append(max(match, previous[column] - 1, current[-1] - 1))
        previous = current
    return number, previous[-1]


def tasks(seed):
    letters = random.Random(seed)
    sizes = [60] * 5 + [6000] * 4
    for number, size in enumerate(sizes):
        left, right = ("".join(letters.choices(BASES, k=size)) for _ in range(2))
        yield number, left, right


def report(scores):
    while True:
        Path("progress").write_text(f"{len(scores)}\n")
        time.sleep(0.5)


def main():
    scores = {}
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        threading.Thread(target=report, args=(scores,), name="report", daemon=True).start()
        first = True
        for number, score in pool.imap_unordered(align, tasks(11)):
            scores[number] = score
            if first:
                Path("ready").write_text(f"{os.getpid()}\n")
                first = False
    print(scores)


if __name__ == "__main__":
    main()
