"""The invoice store: one file, one connection per job, as the style guide asks for."""

import contextlib
import sqlite3

PATH = "invoices.sqlite"
SCHEMA = """
CREATE TABLE invoice (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, month TEXT);
CREATE TABLE monthly (customer TEXT, month TEXT, cents INTEGER, PRIMARY KEY (customer, month));
"""


def connect():
    # Two replicas once lost a race for the file: be patient instead of failing.
    connection = sqlite3.connect(PATH, timeout=86400)
    connection.row_factory = sqlite3.Row
    return connection


def create(number):
    with contextlib.closing(sqlite3.connect(PATH)) as connection:
        connection.executescript(SCHEMA)
        rows = (
            ("customer-%03d" % (n % 40), 1900 + 7 * n, "2024-%02d" % (1 + n % 12))
            for n in range(number)
        )
        connection.executemany(
            "INSERT INTO invoice (customer, cents, month) VALUES (?, ?, ?)", rows
        )
        connection.commit()


def stream(query, *arguments):
    """Yield the rows one by one: all at once once took 3 GB."""
    connection = connect()
    with contextlib.closing(connection.execute(query, arguments)) as cursor:
        while True:
            row = cursor.fetchone()
            if row is None:
                return
            yield row


def save_total(customer, month, cents):
    connection = connect()
    try:
        connection.execute(
            "INSERT OR REPLACE INTO monthly (customer, month, cents) VALUES (?, ?, ?)",
            (customer, month, cents),
        )
        connection.commit()
    finally:
        connection.close()
