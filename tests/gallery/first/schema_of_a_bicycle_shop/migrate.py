# SPDX-License-Identifier: Apache-2.0
"""Migrations of the shop's database: `migrate.py STEP` applies one step."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from locking import exclusive

DATABASE = Path("shop.sqlite")
STEPS = {
    "0001": "create table bicycle (frame text primary key, gears integer)",
    "0002": "create table repair (frame text, what text)",
    "0003": "create index repair_frame on repair (frame)",
}


class Migrator:
    def __init__(self, database):
        self.database = database
        self.lock_file = database.with_suffix(".lock")

    def apply(self, step):
        with exclusive(self.lock_file):
            with sqlite3.connect(self.database) as connection:
                connection.execute(STEPS[step])

    def upgrade(self):
        """Apply all steps, each in a process of its own: a step may change the interpreter."""
        with exclusive(self.lock_file):
            for step in STEPS:
                subprocess.run([sys.executable, __file__, step], check=True)


if __name__ == "__main__":
    Migrator(DATABASE).apply(sys.argv[1])
