# SPDX-License-Identifier: Apache-2.0
import itertools
import os
import threading
from datetime import date, timedelta


class SalesBook:
    def __init__(self):
        self.lock = threading.Lock()
        self.sales = []

    def newest_first(self):
        with self.lock:
            yield from reversed(self.sales)

    def enter(self, day, amount):
        with self.lock:
            self.sales.append((day, amount))


def main():
    today = date(2024, 5, 17)
    book = SalesBook()
    for back in range(40, -1, -1):
        book.enter(today - timedelta(days=back), 100 + back * 3)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    recent = itertools.takewhile(lambda sale: sale[0] >= today - timedelta(1), book.newest_first())
    total = sum(amount for _, amount in recent)
    book.enter(today, -total // 50)
    print("after the discount of the day:", sum(amount for _, amount in book.newest_first()))


main()
