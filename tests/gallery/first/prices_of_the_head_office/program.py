# SPDX-License-Identifier: Apache-2.0
"""A branch asks the head office for prices over a connection of multiprocessing."""

import multiprocessing.connection
import os
import threading

PRICES = {"rope": 340, "lamp": 1290, "anchor": 8800}


class HeadOffice(threading.Thread):
    def __init__(self):
        super().__init__(name="head-office", daemon=True)
        self.listener = multiprocessing.connection.Listener(("127.0.0.1", 0))

    def run(self):
        while True:
            branch = self.listener.accept()
            article = branch.recv()
            branch.send(PRICES.get(article))
            branch.close()


class Branch:
    def __init__(self, town, address):
        self.town, self.address = town, address
        self.password = b"branch:" + town.encode()

    def ask_price(self, article):
        office = multiprocessing.connection.Client(self.address, authkey=self.password)
        try:
            office.send(article)
            return office.recv()
        finally:
            office.close()


def main():
    office = HeadOffice()
    office.start()
    branch = Branch("zierikzee", office.listener.address)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(branch.ask_price("lamp"))


main()
