# SPDX-License-Identifier: Apache-2.0
"""Work out the repayment plans of a savings bank for the end of the year."""

import os
import queue
import threading
import time
from decimal import Decimal

from loans import Loan, Plan

BOOK = [
    ("2201-7", "12000.00", "3.90", "5.0"),
    ("2201-9", "185000.00", "4.15", "2.0"),
    ("2202-3", "900.00", "6.50", "12.0"),
    ("2202-4", "250000.00", "3.75", "0.0"),
    ("2202-8", "4100.00", "5.20", "8.0"),
]


class Printer(threading.Thread):
    def __init__(self):
        super().__init__(name="printer", daemon=True)
        self.sheets = queue.Queue()

    def run(self):
        while True:
            print(self.sheets.get(), flush=True)
            self.sheets.task_done()


class Clerk(threading.Thread):
    def __init__(self, book, printer):
        super().__init__(name="clerk")
        self.book, self.printer = book, printer

    def run(self):
        for number, amount, yearly, part in self.book:
            loan = Loan(number, Decimal(amount), Decimal(yearly), Decimal(part))
            self.printer.sheets.put(Plan(loan).work_out())


def watch():
    time.sleep(1)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    printer = Printer()
    printer.start()
    threading.Thread(target=watch, daemon=True).start()
    clerk = Clerk(BOOK, printer)
    clerk.start()
    clerk.join()
    printer.sheets.join()


if __name__ == "__main__":
    main()
