# SPDX-License-Identifier: Apache-2.0
"""Loads the yearly extract of a municipal register: cleans, checks and groups its rows."""

import csv
import hashlib
import io
import os
from collections import defaultdict
from pathlib import Path

BLOCKS = 900
ROWS_PER_BLOCK = 2000


def read_block(block):
    """Return the text of a block of the extract."""
    rows = (
        f"{block * ROWS_PER_BLOCK + n};Street {n % 90};{n * 7919 % 100003},{n % 100:02d}"
        for n in range(ROWS_PER_BLOCK)
    )
    return "\n".join(rows)


class Loader:
    def __init__(self):
        self.sums = defaultdict(int)
        self.loaded = 0
        self.rejected = 0

    def clean(self, row):
        number, street, amount = row
        cents = int(amount.replace(",", ""))
        key = hashlib.blake2b(f"{number}/{street}".encode(), digest_size=8).hexdigest()
        return key, street.strip().upper(), cents

    def load_block(self, block):
        for row in csv.reader(io.StringIO(read_block(block)), delimiter=";"):
            try:
                _, street, cents = self.clean(row)
            except ValueError:
                self.rejected += 1
                continue
            self.sums[street] += cents
            self.loaded += 1


def main():
    loader = Loader()
    Path("ready").write_text(f"{os.getpid()}\n")
    for block in range(BLOCKS):
        loader.load_block(block)
        if block % 50 == 0:
            print(f"{block}/{BLOCKS} blocks, {loader.loaded} rows", flush=True)


if __name__ == "__main__":
    main()
