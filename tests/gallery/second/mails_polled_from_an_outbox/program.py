# SPDX-License-Identifier: Apache-2.0
"""A worker that looks into the outbox table for mails to send, twice a second."""

import os
import sqlite3
import time

SCHEMA = "CREATE TABLE outbox (id INTEGER PRIMARY KEY, rcpt TEXT, body TEXT, sent REAL)"


class Outbox:
    def __init__(self, path):
        self.base = sqlite3.connect(path, timeout=5)

    def create(self, mails):
        with self.base:
            self.base.execute(SCHEMA)
            self.base.executemany("INSERT INTO outbox (rcpt, body) VALUES (?, ?)", mails)

    def unsent(self):
        rows = self.base.execute("SELECT id, rcpt, body FROM outbox WHERE sent IS NULL LIMIT 10")
        return rows.fetchall()

    def mark(self, number):
        with self.base:
            self.base.execute("UPDATE outbox SET sent = ? WHERE id = ?", (time.time(), number))


def send(recipient, body):
    print("to %s: %s" % (recipient, body), flush=True)


def work(outbox, pause):
    while True:
        mails = outbox.unsent()
        for number, recipient, body in mails:
            send(recipient, body)
            outbox.mark(number)
        if not mails:
            time.sleep(pause)


def main():
    outbox = Outbox("outbox.db")
    outbox.create([("ada@example.org", "Your order is on its way"), ("bo@example.org", "Hello")])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    work(outbox, 0.5)


main()
