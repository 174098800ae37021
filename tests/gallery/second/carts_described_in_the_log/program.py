# SPDX-License-Identifier: Apache-2.0
"""Carts of a web shop: an auditor logs them while the till prices them."""

import logging
import os
import threading
import time

logging.basicConfig(filename="shop.log", level=logging.INFO)
log = logging.getLogger("shop")


class Cart:
    def __init__(self, owner, lines):
        self.owner = owner
        self.lines = lines
        self.total = None
        self.lock = threading.Lock()

    def __str__(self):
        with self.lock:
            return "%s: %d lines, %s" % (self.owner, len(self.lines), self.total)

    def price(self, tariff, priced):
        with self.lock:
            priced.set()
            time.sleep(tariff)
            self.total = sum(self.lines)
            log.info("%s pays %d", self.owner, self.total)


def audit(carts):
    for cart in carts:
        log.info("open cart of %s", cart)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    carts = [Cart("ada", [5, 7]), Cart("bo", [3])]
    audit(carts)
    begun = threading.Event()
    till = threading.Thread(target=carts[1].price, args=(0.8, begun), name="till")
    till.start()
    begun.wait()
    auditor = threading.Thread(target=audit, args=(carts,), name="auditor")
    auditor.start()
    time.sleep(1.5)
    tell()
    till.join()
    auditor.join()
    print([cart.total for cart in carts])


main()
