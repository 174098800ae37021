"""Evening program of a planetarium: plugins are imported when the house opens."""

import importlib
import logging
import os
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("planetarium")

PLUGINS = ["calendar", "colorsys", "shows"]


class House:
    def __init__(self):
        self.plugins = {}
        self.opened = threading.Event()

    def open(self):
        for name in PLUGINS:
            log.info("plugin %s", name)
            self.plugins[name] = importlib.import_module(name)
        self.opened.set()

    def evening(self):
        shows = self.plugins["shows"].SHOWS
        for name, show in sorted(shows.items()):
            angle, magnitude = show.brightest()
            log.info("%s: brightest at %.2f (%.1f mag)", name, angle, magnitude)


class Dome(threading.Thread):
    """Turns the dome once the house is open."""

    def __init__(self, house):
        super().__init__(name="dome-motor", daemon=True)
        self.house = house

    def run(self):
        self.house.opened.wait()
        log.info("the dome turns")


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    house = House()
    Dome(house).start()
    threading.Timer(1.5, announce).start()
    house.open()
    house.evening()


if __name__ == "__main__":
    main()
