# SPDX-License-Identifier: Apache-2.0
"""Inspect the anchor chains of a yard's ships."""

import threading
from contextlib import contextmanager

import chain


class Inspection:
    """What an inspector wrote about one chain."""

    def __init__(self, ship, links):
        self.ship = ship
        self.links = links
        self.worst = None

    @property
    def passed(self):
        return self.worst is not None and self.worst < 0.97


class Yard:
    def __init__(self):
        self._crane = threading.Lock()
        self.inspections = []

    @contextmanager
    def lifted(self, ship, links):
        with self._crane:
            cable = chain.new_chain()
            for number in range(links):
                chain.forge(cable, f"{ship}-{number % 97}", number * 7919 % 1000 / 1000)
            yield cable

    def inspect(self, ship, links):
        inspection = Inspection(ship, links)
        with self.lifted(ship, links) as cable:
            count, inspection.worst = chain.measure(cable)
            assert count == links
        self.inspections.append(inspection)
        return inspection


def main():
    yard = Yard()
    fleet = {"Dorothea": 900, "Kormoran": 4200, "Elbe 3": 12000, "tow cable model": 600000}
    for ship, links in fleet.items():
        print(ship, links, flush=True)
        print("passed" if yard.inspect(ship, links).passed else "worn", flush=True)


if __name__ == "__main__":
    worker = threading.Thread(target=main, name="inspector")
    worker.start()
    worker.join()
