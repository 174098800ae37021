"""Entrance of a zoo: tickets sold are spread over the gates; gates are opened and closed by staff."""

import ctypes
import logging
import os
import queue
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("entrance")


class Hall(ctypes.Structure):
    _fields_ = [
        ("visitors", ctypes.c_uint),
        ("gates", ctypes.c_uint),
        ("per_gate", ctypes.c_uint * 16),
    ]


class Gates:
    def __init__(self, names):
        self.names = names
        self.mask = 0

    def switch(self, name, is_open):
        bit = 1 << self.names.index(name)
        self.mask = self.mask | bit if is_open else self.mask & ~bit


class Entrance(threading.Thread):
    def __init__(self, gates, events):
        super().__init__(name="entrance")
        self.gates = gates
        self.events = events
        self.hall = Hall()
        self.spread = ctypes.CDLL(os.path.abspath("spread.so")).spread
        self.spread.argtypes = [ctypes.POINTER(Hall), ctypes.c_uint, ctypes.c_uint]

    def run(self):
        while (event := self.events.get()) is not None:
            kind, *details = event
            getattr(self, kind)(*details)

    def open(self, name):
        self.gates.switch(name, True)
        log.info("%s opens", name)

    def close(self, name):
        self.gates.switch(name, False)
        log.info("%s closes", name)

    def sold(self, tickets):
        each = self.spread(self.hall, tickets, self.gates.mask)
        log.info("%d tickets, %d for each of %d gates", tickets, each, self.hall.gates)


DAY = """
open north
open lake
sold 240
close north
open south
sold 91
close lake
sold 40
close south
sold 3
open north
sold 12
"""


def main():
    events = queue.Queue()
    entrance = Entrance(Gates(["north", "lake", "south", "staff"]), events)
    entrance.start()
    for line in DAY.split("\n"):
        if line:
            kind, what = line.split()
            events.put((kind, int(what) if what.isdigit() else what))
    events.put(None)
    entrance.join()
    log.info("%d visitors", entrance.hall.visitors)


main()
