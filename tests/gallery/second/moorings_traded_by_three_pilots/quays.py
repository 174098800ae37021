"""Quays and what is moored there."""

import threading


class Quay:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()
        self.ships = []

    def __str__(self):
        return self.name

    def check(self, ship):
        if ship not in self.ships:
            raise LookupError("%s is not at the %s" % (ship, self.name))

    def add(self, ship):
        self.ships.append(ship)

    def remove(self, ship):
        self.ships.remove(ship)
