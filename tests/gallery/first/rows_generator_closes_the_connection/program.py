# SPDX-License-Identifier: Apache-2.0
"""executemany() takes rows from a generator. When the feed breaks off, the generator's handler
closes the connection: sqlite3 goes on with a statement that is finalized and a database that is
NULL."""

import sqlite3


class Store:
    def __init__(self):
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE prices (article INTEGER, price REAL)")

    def insert(self, rows):
        self.database.executemany("INSERT INTO prices VALUES (?, ?)", rows)

    def close(self):
        self.database.close()


def parse(line):
    article, price = line.split(";")
    return int(article), float(price)


def rows(lines, store):
    for line in lines:
        try:
            row = parse(line)
        except ValueError:
            print("feed broken:", line)
            store.close()
            row = 0, 0.0
        yield row


def import_feed(store, lines):
    store.insert(rows(lines, store))


def main():
    import_feed(Store(), ["1;9.90", "2;0.50", "<html>502 Bad Gateway</html>", "3;1.00"])


main()
