# SPDX-License-Identifier: Apache-2.0
"""Invoices of a wholesaler: orders come over a process queue and are booked by a ledger thread."""

import json
import multiprocessing
import os
import threading
from decimal import Decimal

END = object()


class Ledger:
    def __init__(self, orders):
        self.orders = orders
        self.totals = {}
        self.refused = []

    def book(self, order):
        customer, lines = order
        amount = sum(Decimal(price) * count for price, count in lines)
        self.totals[customer] = self.totals.get(customer, Decimal(0)) + amount

    def keep(self):
        while True:
            order = self.orders.get()
            if order is END:
                return
            try:
                self.book(order)
            except (TypeError, ValueError) as error:
                self.refused.append((order, str(error)))


def read_orders(day):
    for number in range(25):
        yield f"customer-{number % 7}", [("12.50", number + 1), ("3.99", day)]


def submit(day, orders):
    """The branch office, a process of its own: it sends the orders of a day."""
    for order in read_orders(day):
        orders.put(order)


def report(ledger):
    for customer, total in sorted(ledger.totals.items()):
        print(f"{customer:12} {total:>10}", flush=True)


def main():
    context = multiprocessing.get_context("fork")
    orders = context.Queue()
    ledger = Ledger(orders)
    branches = [context.Process(target=submit, args=(day, orders)) for day in (1, 2)]
    for branch in branches:
        branch.start()
    keeper = threading.Thread(target=ledger.keep, name="ledger")
    keeper.start()
    for branch in branches:
        branch.join()
    orders.put(END)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    keeper.join()
    report(ledger)


main()
