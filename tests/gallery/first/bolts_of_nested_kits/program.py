# SPDX-License-Identifier: Apache-2.0
"""How many bolts are in a kit, whose kits hold kits: from the works' database."""

import os
import sqlite3

KITS = [(f"kit {n}", f"kit {n + 1}", side) for n in range(27) for side in ("left", "right")]
QUERY = """
    WITH RECURSIVE inside(name) AS (
        SELECT ?
        UNION ALL
        SELECT holds.part FROM inside JOIN holds ON holds.kit = inside.name
    )
    SELECT count(*) FROM inside WHERE name = 'kit 27'
"""


def bolts_in(works, kit):
    return works.execute(QUERY, (kit,)).fetchone()[0]


def main():
    works = sqlite3.connect(":memory:")
    works.execute("CREATE TABLE holds (kit TEXT, part TEXT, side TEXT)")
    works.execute("CREATE INDEX by_kit ON holds (kit)")
    works.executemany("INSERT INTO holds VALUES (?, ?, ?)", KITS)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(8 * bolts_in(works, "kit 0"), "bolts")


main()
