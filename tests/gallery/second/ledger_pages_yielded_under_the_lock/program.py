# SPDX-License-Identifier: Apache-2.0
"""An abbey's accounts: a query thread pages through the ledger, a clerk thread enters rows."""

import datetime
import itertools
import os
import queue
import threading

import ledger


def first_large(book, limit):
    """Return the first page that has an entry above a limit, and the pages to go on with."""
    pages = book.pages(4)
    for page in pages:
        if any(entry.cents > limit for entry in page):
            return page, pages
    return [], pages


class Clerk(threading.Thread):
    def __init__(self, book):
        super().__init__(name="clerk", daemon=True)
        self.book, self.slips = book, queue.Queue()

    def run(self):
        while True:
            text, cents, entered = self.slips.get()
            self.book.enter(text, cents)
            entered.set()


class Auditor(threading.Thread):
    """Marks what it finds large, and looks at the rest afterwards."""

    def __init__(self, book, limit):
        super().__init__(name="auditor")
        self.book, self.limit = book, limit

    def run(self):
        page, rest = first_large(self.book, self.limit)
        for entry in page:
            if entry.cents > self.limit:
                self.book.mark(entry, "asked for the receipt")
        others = sum(1 for entry in itertools.chain.from_iterable(rest) if entry.cents > self.limit)
        print("also large:", others, flush=True)


def main():
    book = ledger.Ledger(datetime.date(2021, 11, 2))
    clerk = Clerk(book)
    clerk.start()
    for number in range(22):
        entered = threading.Event()
        clerk.slips.put((f"candles {number}", 300 + number * 55, entered))
        entered.wait()
    print(len(book), "entries, total", book.total(), flush=True)
    auditor = Auditor(book, 700)
    auditor.start()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(1.0, ready).start()
    auditor.join()
    print("audit done", flush=True)


if __name__ == "__main__":
    main()
