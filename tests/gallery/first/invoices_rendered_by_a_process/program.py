# SPDX-License-Identifier: Apache-2.0
"""Invoices are rendered by a worker process; the day is closed when all of them are done."""

import multiprocessing
import os
from dataclasses import dataclass

RATES = {"de": 19, "fr": 20, "it": 22}


@dataclass
class Invoice:
    number: int
    country: str
    amount: int


def gross(invoice):
    return invoice.amount * (100 + RATES[invoice.country]) // 100


def render_invoices(invoices):
    while True:
        invoice = invoices.get()
        with open(f"invoice-{invoice.number}.txt", "w") as page:
            page.write(f"{gross(invoice)}\n")
        invoices.task_done()


def close_day(invoices):
    invoices.join()
    print("all rendered")


def main():
    invoices = multiprocessing.JoinableQueue()
    renderer = multiprocessing.Process(target=render_invoices, args=(invoices,), daemon=True)
    renderer.start()
    for number, country in enumerate(["de", "fr", "ch", "it"]):
        invoices.put(Invoice(number, country, 1000 + number))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    close_day(invoices)


main()
