# SPDX-License-Identifier: Apache-2.0
"""A monthly report joins every delivery with every depot in SQLite, and shows how far it is."""

import os
import sqlite3
import time

REPORT = """
SELECT depot.id, count(*), sum((delivery.x - depot.x) * (delivery.x - depot.x)
                             + (delivery.y - depot.y) * (delivery.y - depot.y)) AS effort
FROM depot CROSS JOIN delivery
WHERE (delivery.id * 31 + depot.id * 17) % 7 < 4
GROUP BY depot.id ORDER BY effort
"""


class Report:
    def __init__(self, depots, deliveries):
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE depot (id INTEGER PRIMARY KEY, x INT, y INT)")
        self.database.execute("CREATE TABLE delivery (id INTEGER PRIMARY KEY, x INT, y INT)")
        for table, count in (("depot", depots), ("delivery", deliveries)):
            rows = (
                (number, number * 7919 % 1000, number * 104729 % 1000) for number in range(count)
            )
            self.database.executemany("INSERT INTO %s VALUES (?, ?, ?)" % table, rows)
        self.steps = 0
        self.last_step = None
        self.database.set_progress_handler(self.show_progress, 1_000_000)

    def show_progress(self):
        self.steps += 1
        self.last_step = time.time()

    def run(self):
        return self.database.execute(REPORT).fetchall()


def main():
    report = Report(60_000, 20_000)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(report.run()[0])


main()
