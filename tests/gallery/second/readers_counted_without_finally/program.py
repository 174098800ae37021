# SPDX-License-Identifier: Apache-2.0
"""A spare-parts shop: a routing table of suppliers that many threads read and one renews."""

import os
import queue
import threading

from rwlock import ReadWriteLock

SUPPLIERS = {"bolt": "Anker & Sons", "washer": "Blechwerk", "gasket": "Cork Union"}


class Suppliers:
    def __init__(self):
        self.lock = ReadWriteLock()
        self.table = dict(SUPPLIERS)
        self.version = 1

    def lookup(self, part):
        with self.lock.reading():
            return self.table[part]

    def renew(self, table):
        with self.lock.writing():
            self.table = dict(table)
            self.version += 1


class Clerk(threading.Thread):
    def __init__(self, number, suppliers, orders):
        super().__init__(name="clerk-%d" % number)
        self.suppliers = suppliers
        self.orders = orders
        self.served = self.refused = 0

    def run(self):
        while True:
            part = self.orders.get()
            if part is None:
                return
            try:
                self.suppliers.lookup(part)
                self.served += 1
            except KeyError:
                self.refused += 1


def main():
    suppliers = Suppliers()
    orders = queue.Queue()
    clerks = [Clerk(n, suppliers, orders) for n in range(3)]
    for clerk in clerks:
        clerk.start()
    for part in ["bolt", "gasket", "washer", "flange", "bolt"] * 6:
        orders.put(part)
    for _ in clerks:
        orders.put(None)
    for clerk in clerks:
        clerk.join()
    served = sum(clerk.served for clerk in clerks)
    print("%d served, %d refused" % (served, sum(clerk.refused for clerk in clerks)), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    suppliers.renew({**SUPPLIERS, "flange": "Dock Iron"})
    print("table of version", suppliers.version)


main()
