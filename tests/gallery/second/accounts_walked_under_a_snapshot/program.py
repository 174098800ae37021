# SPDX-License-Identifier: Apache-2.0
"""Yearly audit: a generator walks the accounts and keeps the books from changing meanwhile; each
account's seal is derived anew, which is slow on purpose. Bookings wait until it is through."""

import contextlib
import hashlib
import os
import queue
import threading


class Books:
    def __init__(self, accounts):
        self.balances = {"%05d" % n: n * 17 % 4001 for n in range(accounts)}
        self.steady = threading.Lock()

    def snapshot(self):
        with self.steady:
            for number in sorted(self.balances):
                yield number, self.balances[number]

    def book(self, number, amount):
        with self.steady:
            self.balances[number] += amount


class Teller(threading.Thread):
    def __init__(self, name, books, bookings):
        super().__init__(name=name, daemon=True)
        self.books, self.bookings = books, bookings

    def run(self):
        while True:
            number, amount = self.bookings.get()
            self.books.book(number, amount)
            self.bookings.task_done()


def seal(number, balance):
    return hashlib.pbkdf2_hmac("sha512", str(balance).encode(), number.encode(), 20_000_000)


def audit(books):
    seals = {}
    with contextlib.closing(books.snapshot()) as accounts:
        for number, balance in accounts:
            seals[number] = seal(number, balance)
    return seals


def main():
    books, bookings = Books(500), queue.Queue()
    for name in ("teller-1", "teller-2", "teller-3"):
        Teller(name, books, bookings).start()
    threading.Timer(0.2, lambda: [bookings.put(("00017", n)) for n in range(20)]).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(audit(books)))
    bookings.join()


main()
