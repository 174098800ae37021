# SPDX-License-Identifier: Apache-2.0
"""Posts the day's entries to a journal and a ledger, while an auditor compares both."""

import ctypes
import os
import threading
from pathlib import Path

books = ctypes.CDLL(str(Path(__file__).with_name("books.so")))
books.book_post_entry.argtypes = [ctypes.c_int64]
books.book_post_entry.restype = ctypes.c_int64
books.book_reconcile.restype = ctypes.c_int64


class Auditor(threading.Thread):
    def __init__(self, rounds):
        super().__init__(name="auditor")
        self.rounds = rounds
        self.differences = []

    def run(self):
        for _ in range(self.rounds):
            self.differences.append(books.book_reconcile())


def post_day(amounts):
    total = 0
    for amount in amounts:
        total += books.book_post_entry(amount)
    return total


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    auditor = Auditor(rounds=2000)
    auditor.start()
    total = post_day(range(100, 200_000, 100))
    auditor.join()
    print(total, max(auditor.differences))


if __name__ == "__main__":
    main()
