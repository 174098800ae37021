# SPDX-License-Identifier: Apache-2.0
"""Potters share a kiln; each waits for the heat that the ware needs."""

import os
import threading
import time
from enum import Enum


class Heat(Enum):
    COLD = 20
    BISQUE = 950
    GLAZE = 1230


class Kiln:
    def __init__(self):
        self._turn = threading.Condition()
        self.heat = Heat.COLD
        self.load = []

    def bring(self, potter, wanted, pots):
        with self._turn:
            while self.heat is not wanted:
                self._turn.wait()
            self.load.append((potter, pots, wanted.value))

    def fire(self, heat):
        with self._turn:
            self.heat = heat
            self._turn.notify()


class Potter(threading.Thread):
    def __init__(self, name, kiln, ware):
        super().__init__(name=name)
        self.kiln, self.ware = kiln, ware
        self.content = threading.Event()

    def run(self):
        for wanted, pots in self.ware:
            self.kiln.bring(self.name, wanted, pots)
            self.content.set()


class Studio:
    def __init__(self):
        self.kiln = Kiln()
        self.potters = [
            Potter("Ottilie", self.kiln, [(Heat.BISQUE, 12), (Heat.GLAZE, 12)]),
            Potter("Veit", self.kiln, [(Heat.GLAZE, 5)]),
        ]
        self.rent = threading.Lock()

    def begin(self):
        for potter in self.potters:
            potter.start()
            time.sleep(0.1)

    def evening(self):
        """Fire at the heat of glazes first: there is most of it."""
        with self.rent:
            self.kiln.fire(Heat.GLAZE)
            self.potters[1].content.wait()
            self.kiln.fire(Heat.BISQUE)


def watch():
    time.sleep(1)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    studio = Studio()
    studio.begin()
    threading.Thread(target=watch, daemon=True).start()
    studio.evening()
    for potter in studio.potters:
        potter.join()


if __name__ == "__main__":
    main()
