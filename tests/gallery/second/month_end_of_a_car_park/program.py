# SPDX-License-Identifier: Apache-2.0
"""The month's end of a car park, run by cron: only one may run at a time."""

import contextlib
import fcntl
import gzip
import os
import sys
from pathlib import Path


@contextlib.contextmanager
def exclusively(path):
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield file
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def move_away(journal):
    with exclusively(journal.with_suffix(".lock")):
        with gzip.open(f"{journal}.gz", "at") as archive:
            archive.write(journal.read_text())
        journal.write_text("")


def close_month(journal):
    with exclusively(journal.with_suffix(".lock")):
        takings = sum(float(line.split()[1]) for line in journal.read_text().splitlines())
        Path("takings.txt").write_text(f"{takings:.2f}\n")
        move_away(journal)
    return takings


journal = Path("gates.journal")
journal.write_text("".join(f"gate{n % 3} {1.5 + n % 7}\n" for n in range(400)))
Path("ready").write_text(f"{os.getpid()}\n")
sys.exit(close_month(journal) <= 0)
