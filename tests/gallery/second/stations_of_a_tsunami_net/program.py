# SPDX-License-Identifier: Apache-2.0
"""The centre of a net of tide stations: each is a process that reports over its own pipe."""

import logging
import math
import multiprocessing
import multiprocessing.connection
import os
import threading
import time
from dataclasses import dataclass

log = logging.getLogger("tsunami")


@dataclass
class Level:
    station: str
    metres: float
    at: float


class Station:
    """A station measures all the time, and reports once a minute or when the sea does not rest."""

    def __init__(self, name, pipe, every):
        self.name = name
        self.pipe = pipe
        self.every = every

    def measure(self, second):
        return 2.0 + 0.4 * math.sin(second / 6500)

    def run(self):
        second = 0
        while True:
            metres = self.measure(second)
            if second % self.every == 0 or metres > 4.0:
                self.pipe.send(Level(self.name, metres, time.time()))
            time.sleep(1)
            second += 1


class Centre:
    """Waits for reports and for stations that end."""

    def __init__(self, names):
        self.context = multiprocessing.get_context("fork")
        self.levels = {}
        self.stations = {}
        self.pipes = {}
        for name in names:
            self.open(name)

    def open(self, name):
        ours, theirs = self.context.Pipe(duplex=False)
        station = self.context.Process(target=Station(name, theirs, 60).run, name=name, daemon=True)
        station.start()
        theirs.close()
        self.stations[station.sentinel] = station
        self.pipes[ours] = name

    def take(self, pipe):
        try:
            level = pipe.recv()
        except EOFError:
            log.warning("%s hung up", self.pipes.pop(pipe))
            return
        self.levels[level.station] = level

    def watch(self):
        while self.pipes:
            for each in multiprocessing.connection.wait([*self.pipes, *self.stations]):
                if each in self.pipes:
                    self.take(each)
                else:
                    station = self.stations.pop(each)
                    log.warning("%s ended with %s", station.name, station.exitcode)


class Bulletin(threading.Thread):
    """Publishes the levels each ten minutes."""

    def __init__(self, centre):
        super().__init__(name="bulletin", daemon=True)
        self.centre = centre
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(600):
            for name, level in sorted(self.centre.levels.items()):
                log.info("%s %.2f m", name, level.metres)


def main():
    logging.basicConfig(level=logging.INFO)
    centre = Centre(["aguilas", "brest", "cuxhaven", "dunbar"])
    Bulletin(centre).start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    centre.watch()


if __name__ == "__main__":
    main()
