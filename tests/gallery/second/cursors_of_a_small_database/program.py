# SPDX-License-Identifier: Apache-2.0
"""Writes the readings of a day through the cursors of a small database."""

import minidb


class Connection:
    def __init__(self, name):
        self.name = name
        self.alive = True


class NamedCursor(minidb.Cursor):
    def __init__(self, connection, name):
        super().__init__(connection)
        self.name = name

    def reconnect(self, connection):
        # the same cursor, as callers keep it
        super().__init__(connection)


def store(cursor, readings):
    for number, reading in enumerate(readings):
        if number == 150:
            cursor.reconnect(Connection("replica"))
        cursor.execute("INSERT INTO readings VALUES (%d, %.1f)" % (number, reading))


def main():
    cursor = NamedCursor(Connection("primary"), "readings")
    store(cursor, [20 + n % 7 * 0.3 for n in range(400)])
    print("stored")


if __name__ == "__main__":
    main()
