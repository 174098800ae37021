# SPDX-License-Identifier: Apache-2.0
"""A stud book in SQLite: how many generations of a horse are known?"""

import os
import sqlite3

GENERATIONS = """
WITH RECURSIVE ancestry(horse, generation) AS (
    SELECT sire, 1 FROM horses WHERE name = :name AND sire IS NOT NULL
    UNION ALL
    SELECT horses.sire, ancestry.generation + 1
    FROM ancestry JOIN horses ON horses.name = ancestry.horse
    WHERE horses.sire IS NOT NULL
)
SELECT max(generation) FROM ancestry
"""

HORSES = [
    ("Abendrot", "Falke"), ("Bora", "Nordwind"), ("Falke", "Komet"), ("Komet", None),
    ("Nordwind", "Sultan"), ("Orkan", "Nordwind"), ("Sultan", "Orkan"), ("Zephir", "Bora"),
]  # fmt: skip


class StudBook:
    def __init__(self, horses):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE horses (name TEXT PRIMARY KEY, sire TEXT)")
        with self.connection:
            self.connection.executemany("INSERT INTO horses VALUES (?, ?)", horses)

    def known_generations(self, name):
        found = self.connection.execute(GENERATIONS, {"name": name}).fetchone()
        return found[0] or 0


def main():
    book = StudBook(HORSES)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for name, _ in HORSES:
        print(name, book.known_generations(name))


main()
