# SPDX-License-Identifier: Apache-2.0
"""Applies the price list of a supplier to the shop's database, over a pool of connections."""

import logging
import os
import queue
import sqlite3
import threading
from collections import deque
from pathlib import Path

log = logging.getLogger("prices")


class ConnectionPool:
    def __init__(self, path, size):
        self.size = size
        self.made = 0
        self.path = path
        self.idle = deque()
        self.returned = threading.Condition()

    def checkout(self):
        with self.returned:
            while not self.idle:
                if self.made < self.size:
                    self.made += 1
                    return sqlite3.connect(self.path, check_same_thread=False)
                self.returned.wait()
            return self.idle.popleft()

    def checkin(self, connection):
        with self.returned:
            self.idle.append(connection)
            self.returned.notify()


def apply_price(pool, line):
    connection = pool.checkout()
    article, price = line.split(";")
    cents = int(price.replace(",", ""))
    with connection:
        connection.execute("update article set cents = ? where id = ?", (cents, article))
    pool.checkin(connection)


def price_worker(pool, lines):
    while True:
        line = lines.get()
        if line is None:
            return
        try:
            apply_price(pool, line)
        except ValueError as error:
            log.warning("skipped %r: %s", line, error)


def main():
    logging.basicConfig(level=logging.INFO)
    Path("shop.db").unlink(missing_ok=True)
    with sqlite3.connect("shop.db") as setup:
        setup.execute("create table article (id text primary key, cents integer)")
    pool = ConnectionPool("shop.db", 3)
    lines = queue.Queue()
    for number in range(200):
        lines.put(f"A{number};{number},50" if number % 20 else f"A{number};on request")
    workers = [threading.Thread(target=price_worker, args=(pool, lines)) for _ in range(4)]
    for worker in workers:
        worker.start()
        lines.put(None)
    Path("ready").write_text(f"{os.getpid()}\n")
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
