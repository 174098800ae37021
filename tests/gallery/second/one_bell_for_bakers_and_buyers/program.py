# SPDX-License-Identifier: Apache-2.0
"""A bakery with a single shelf: bakers and buyers wait for the same bell."""

import logging
import os
import threading

log = logging.getLogger("bakery")


class Shelf:
    """Holds one tray; the bell is rung for one person whenever something has changed."""

    def __init__(self):
        self.bell = threading.Condition()
        self.tray = None
        self.hungry = 0
        self.trays_put = 0
        self.trays_taken = 0

    def put(self, tray):
        with self.bell:
            while self.tray is not None:
                self.bell.wait()
            self.tray = tray
            self.trays_put += 1
            self.bell.notify()

    def put_all(self, trays):
        """A whole oven at once: nobody else may put between these trays."""
        with self.bell:
            for tray in trays:
                self.put(tray)

    def take(self):
        with self.bell:
            self.hungry += 1
            while self.tray is None:
                self.bell.wait()
            tray, self.tray = self.tray, None
            self.trays_taken += 1
            self.bell.notify()
            return tray

    def waiting_buyers(self):
        with self.bell:
            return self.hungry - self.trays_taken


def buy(shelf, name, basket):
    tray = shelf.take()
    basket[name] = tray
    log.info("%s has %s", name, tray)


def bake(shelf, trays):
    shelf.put_all(trays)
    log.info("oven is empty")


def open_shop(shelf, names, basket):
    buyers = []
    for number, name in enumerate(names, 1):
        buyer = threading.Thread(target=buy, args=(shelf, name, basket), name="buyer-" + name)
        buyer.start()
        buyers.append(buyer)
        while shelf.waiting_buyers() < number:
            pass
    return buyers


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s: %(message)s")
    shelf, basket = Shelf(), {}
    people = open_shop(shelf, ["Ines", "Jaro"], basket)
    baker = threading.Thread(target=bake, args=(shelf, ["rye", "spelt"]), name="baker")
    baker.start()
    people.append(baker)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for person in people:
        person.join()
    log.info("sold: %s", basket)


if __name__ == "__main__":
    main()
