# SPDX-License-Identifier: Apache-2.0
"""Bill of materials: how many parts are needed for an article, from the works' database."""

import os
import sqlite3

USES = [
    ("bicycle", "frame", 1),
    ("bicycle", "wheel", 2),
    ("wheel", "hub", 1),
    ("hub", "dynamo", 1),
    ("dynamo", "wheel", 1),
]
QUERY = """
    WITH RECURSIVE parts(name, amount) AS (
        SELECT part, amount FROM uses WHERE article = ?
        UNION ALL
        SELECT uses.part, uses.amount FROM parts JOIN uses ON uses.article = parts.name
    )
    SELECT sum(amount) FROM parts
"""


def open_works():
    works = sqlite3.connect(":memory:")
    works.execute("CREATE TABLE uses (article TEXT, part TEXT, amount INTEGER)")
    works.executemany("INSERT INTO uses VALUES (?, ?, ?)", USES)
    works.commit()
    return works


def parts_of_article(works, article):
    (amount,) = works.execute(QUERY, (article,)).fetchone()
    return amount


def main():
    works = open_works()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(parts_of_article(works, "bicycle"))


main()
