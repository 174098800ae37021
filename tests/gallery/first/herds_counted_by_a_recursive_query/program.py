# SPDX-License-Identifier: Apache-2.0
"""A breeders' union: descendants of its animals by a recursive query, with a progress handler."""

import os
import sqlite3
import threading
import time

SCHEMA = """
CREATE TABLE animal (id INTEGER PRIMARY KEY, sire INTEGER, dam INTEGER, born INTEGER);
CREATE INDEX by_sire ON animal (sire);
CREATE INDEX by_dam ON animal (dam);
"""
DESCENDANTS = """
WITH RECURSIVE line(id, depth) AS (
    SELECT id, 0 FROM animal WHERE born = ?
    UNION ALL
    SELECT animal.id, line.depth + 1 FROM line JOIN animal ON animal.sire = line.id OR animal.dam = line.id
    WHERE line.depth < 60 ORDER BY 2 DESC
)
SELECT depth, count(*), sum(id % 7) FROM line GROUP BY depth
"""  # noqa: E501


class Herdbook:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:", check_same_thread=False)
        self.connection.executescript(SCHEMA)
        self.steps = 0
        self.began = time.monotonic()
        self.connection.set_progress_handler(self._progress, 100_000)

    def _progress(self):
        self.steps += 1
        return 0  # another number would stop the query

    def enrol(self, generations, size):
        rows = []
        for generation in range(generations):
            for place in range(size):
                number = generation * size + place
                before = (generation - 1) * size
                sire = before + place * 7 % size if generation else None
                dam = before + (place * 3 + 1) % size if generation else None
                rows.append((number, sire, dam, 1950 + generation))
        self.connection.executemany("INSERT INTO animal VALUES (?, ?, ?, ?)", rows)
        self.connection.commit()

    def descendants(self, year):
        return self.connection.execute(DESCENDANTS, (year,)).fetchall()


def report(herdbook, pause):
    while not pause.wait(1.0):
        seconds = time.monotonic() - herdbook.began
        print("%4.0f s: %d00000 steps" % (seconds, herdbook.steps), flush=True)


def main():
    herdbook = Herdbook()
    herdbook.enrol(60, 40)
    print(herdbook.descendants(2004), flush=True)
    pause = threading.Event()
    threading.Thread(target=report, args=(herdbook, pause), name="report", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for depth, number, _ in herdbook.descendants(1980):
        print("generation %d: %d" % (depth, number))


main()
