# SPDX-License-Identifier: Apache-2.0
"""An import keeps a write transaction of sqlite open and, within it, writes an audit entry over
a second connection: that one retries for ever, as the database is locked by its own caller.
"""

import os
import sqlite3
import time

DATABASE = "shop.db"


def write_audit(text):
    attempts = 0
    while True:
        connection = sqlite3.connect(DATABASE, timeout=0.02)
        try:
            with connection:
                connection.execute("insert into audit values (?)", (text,))
            return attempts
        except sqlite3.OperationalError:
            attempts += 1
            time.sleep(0.05)
        finally:
            connection.close()


def import_order(connection, number):
    connection.execute("insert into orders values (?)", (number,))
    write_audit(f"order {number}")


def import_orders(numbers):
    connection = sqlite3.connect(DATABASE)
    with connection:
        for number in numbers:
            import_order(connection, number)


def main():
    connection = sqlite3.connect(DATABASE)
    connection.executescript("create table orders(number); create table audit(text);")
    connection.close()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    import_orders(range(10))


main()
