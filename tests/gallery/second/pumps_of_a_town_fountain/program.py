# SPDX-License-Identifier: Apache-2.0
"""Run the shows of a town fountain one after the other."""

import logging
import threading
import time

import fountain

log = logging.getLogger("show")


class WindTooStrong(Exception):
    pass


class Anemometer(threading.Thread):
    """Measures the wind on the square."""

    def __init__(self, gusts):
        super().__init__(daemon=True)
        self._gusts = iter(gusts)
        self._lock = threading.Lock()
        self.speed = 0.0

    def run(self):
        for gust in self._gusts:
            with self._lock:
                self.speed = gust
            time.sleep(0.05)

    def check(self):
        with self._lock:
            if self.speed > 12:
                raise WindTooStrong(f"{self.speed} m/s")


class Jet:
    def __init__(self, name, rate):
        self.name, self.rate = name, rate
        self._pump = fountain.open_pump(name)

    def rise(self):
        fountain.start_pump(self._pump, self.rate)

    def fall(self):
        return fountain.stop_pump(self._pump)


class Show:
    def __init__(self, title, jets, wind):
        self.title, self.wind = title, wind
        self.jets = [Jet(name, rate) for name, rate in jets]

    def play(self, seconds):
        for jet in self.jets:
            jet.rise()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.wind.check()
            time.sleep(0.02)
        return {jet.name: jet.fall() for jet in self.jets}


PROGRAMME = [
    ("waltz", [("rose", 2.5), ("lily", 1.5)]),
    ("fanfare", [("north", 6.0), ("south", 6.0), ("centre", 9.0)]),
    ("nocturne", [("veil", 0.7)]),
]


def play_programme(wind):
    for title, jets in PROGRAMME:
        try:
            used = Show(title, jets, wind).play(0.3)
            log.info("%s used %s", title, used)
        except WindTooStrong as reason:
            log.warning("%s given up: %s", title, reason)


def main():
    logging.basicConfig(level=logging.INFO)
    wind = Anemometer([3.1, 4.0, 2.8, 5.5, 6.1, 7.7, 9.9, 10.4, 13.2, 14.0, 6.0])
    wind.start()
    play_programme(wind)


if __name__ == "__main__":
    main()
