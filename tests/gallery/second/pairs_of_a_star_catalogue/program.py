# SPDX-License-Identifier: Apache-2.0
"""Close pairs of stars are found in a catalogue by one long query."""

import os
import random
import sqlite3
from pathlib import Path

PAIRS = """
select count(*), avg(left.magnitude - right.magnitude)
from star as left join star as right on left.number < right.number
where abs(left.ra - right.ra) < 0.02 and abs(left.declination - right.declination) < 0.02
"""


def fill(catalogue, stars):
    sky = random.Random(5)
    catalogue.execute(
        "create table star (number integer primary key, ra real, declination real, magnitude real)"
    )
    catalogue.executemany(
        "insert into star values (?, ?, ?, ?)",
        ((n, sky.uniform(0, 360), sky.uniform(-90, 90), sky.gauss(8, 2)) for n in range(stars)),
    )


def close_pairs(catalogue):
    return catalogue.execute(PAIRS).fetchone()


def main():
    catalogue = sqlite3.connect(":memory:")
    fill(catalogue, stars=30_000)
    Path("ready").write_text(f"{os.getpid()}\n")
    number, difference = close_pairs(catalogue)
    print(number, "pairs,", difference)


if __name__ == "__main__":
    main()
