# SPDX-License-Identifier: Apache-2.0
"""The process that shares a price catalogue with the shops, by a manager of multiprocessing."""

import multiprocessing.managers
import os
import subprocess
import sys

SHOP = """
import sys, time
from multiprocessing.managers import BaseManager
BaseManager.register("catalogue")
manager = BaseManager(("127.0.0.1", int(sys.argv[1])), b"shops")
manager.connect()
catalogue = manager.catalogue()
print(catalogue.price("kettle"), flush=True)
time.sleep(600)
"""


class Catalogue:
    def __init__(self):
        self.cents = {"kettle": 2995, "toaster": 3495}
        self.asked = 0

    def price(self, article):
        self.asked += 1
        if self.asked == 2:
            tell_ready()
        return self.cents[article]


class CatalogueManager(multiprocessing.managers.BaseManager):
    pass


def tell_ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    catalogue = Catalogue()
    CatalogueManager.register("catalogue", lambda: catalogue, exposed=("price",))
    server = CatalogueManager(("127.0.0.1", 0), b"shops").get_server()
    for _ in range(2):
        subprocess.Popen([sys.executable, "-c", SHOP, str(server.address[1])])
    server.serve_forever()


main()
