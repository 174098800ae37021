# SPDX-License-Identifier: Apache-2.0
"""The nightly roll-up of the invoices of a wholesaler: totals per customer and month."""

import logging
import os
import sys

import store

log = logging.getLogger("rollup")
QUERY = "SELECT customer, month, cents FROM invoice ORDER BY id"


class Rollup:
    """Adds up invoices and saves a total whenever a customer's batch is complete."""

    def __init__(self, batch=500):
        self.batch = batch
        self.totals = {}
        self.saved = 0

    def add(self, row):
        key = row["customer"], row["month"]
        self.totals[key] = self.totals.get(key, 0) + row["cents"]

    def flush(self):
        for (customer, month), cents in sorted(self.totals.items()):
            store.save_total(customer, month, cents)
            self.saved += 1
        self.totals.clear()

    def run(self):
        seen = 0
        for row in store.stream(QUERY):
            self.add(row)
            seen += 1
            if seen % self.batch == 0:
                log.info("%d invoices read, %d totals saved", seen, self.saved)
                self.flush()
        self.flush()
        return seen


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    logging.basicConfig(
        stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(message)s"
    )
    for name in (store.PATH, store.PATH + "-journal"):
        if os.path.exists(name):
            os.unlink(name)
    store.create(20000)
    log.info("store of %d bytes", os.path.getsize(store.PATH))
    announce()
    log.info("%d invoices rolled up", Rollup().run())


main()
