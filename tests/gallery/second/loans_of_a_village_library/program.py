# SPDX-License-Identifier: Apache-2.0
"""The loans of a village library are copied every night from its database."""

import os
import socket
import threading
from dataclasses import dataclass, field
from pathlib import Path

import psycopg2


@dataclass
class Gatekeeper:
    """Takes the calls for the database host, which is busy with its own recovery."""

    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    callers: list = field(default_factory=list)

    def admit(self):
        while True:
            caller, _ = self.listener.accept()
            self.callers.append(caller)


@dataclass
class LoanCopy:
    port: int
    rows: list = field(default_factory=list)

    def open_database(self):
        return psycopg2.connect(
            host="127.0.0.1", port=self.port, dbname="library", user="night", password="quiet"
        )

    def run(self):
        with self.open_database() as database, database.cursor() as cursor:
            cursor.execute("select reader, book, due from loans where returned is null")
            self.rows = cursor.fetchall()


def main():
    gatekeeper = Gatekeeper()
    threading.Thread(target=gatekeeper.admit, name="gatekeeper", daemon=True).start()
    copy = LoanCopy(gatekeeper.listener.getsockname()[1])
    Path("ready").write_text(f"{os.getpid()}\n")
    copy.run()
    print(len(copy.rows), "loans")


if __name__ == "__main__":
    main()
