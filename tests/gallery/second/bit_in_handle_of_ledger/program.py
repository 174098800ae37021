# SPDX-License-Identifier: Apache-2.0
"""A ledger in SQLite that is open through the night; entries come with the morning."""

import json
import os
import sqlite3


class Ledger:
    def __init__(self):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("CREATE TABLE entry (account TEXT, cents INTEGER)")

    def enter(self, account, cents):
        self.connection.execute("INSERT INTO entry VALUES (?, ?)", (account, cents))

    def balance(self):
        return self.connection.execute("SELECT sum(cents) FROM entry").fetchone()[0]


def main():
    ledger = Ledger()
    ledger.enter("rent", -90000)
    print(ledger.balance())
    handle = id(ledger.connection) + 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[handle, 43]]}) + "\n")
    input()
    ledger.enter("wages", 210000)
    print(ledger.balance())


main()
