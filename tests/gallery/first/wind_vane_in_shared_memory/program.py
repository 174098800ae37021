# SPDX-License-Identifier: Apache-2.0
"""A harbour's wind vane: a sensor publishes into a native page, displays read it without a lock."""

import ctypes
import logging
import math
import os
import threading
import time
from pathlib import Path

log = logging.getLogger("vane")
HERE = Path(__file__).resolve().parent


class VanePage:
    """The native page, see vane_page.c."""

    def __init__(self):
        self.library = ctypes.CDLL(str(HERE / "vane_page.so"))
        self.library.vane_open.restype = ctypes.c_void_p
        self.library.vane_publish.argtypes = [ctypes.c_void_p] + 3 * [ctypes.c_double]
        self.library.vane_read.argtypes = [ctypes.c_void_p] + 3 * [ctypes.POINTER(ctypes.c_double)]
        self.page = self.library.vane_open()

    def publish(self, direction, speed, gust):
        status = self.library.vane_publish(self.page, direction, speed, gust)
        if status:
            raise OSError(-status, "vane refused the sample")

    def read(self):
        values = [ctypes.c_double() for _ in range(3)]
        samples = self.library.vane_read(self.page, *map(ctypes.byref, values))
        return samples, tuple(value.value for value in values)


class Sensor(threading.Thread):
    """Samples the vane five times a second."""

    def __init__(self, page, offset):
        super().__init__(name="sensor", daemon=True)
        self.page = page
        self.offset = offset
        self.refused = 0

    def raw(self, turn):
        return 300 + 20 * turn, 6 + math.sin(turn), 9 + math.cos(turn)

    def run(self):
        for turn in range(1, 5):
            direction, speed, gust = self.raw(turn)
            try:
                self.page.publish(direction + self.offset, speed, gust)
            except OSError as error:
                self.refused += 1
                log.warning("sample %d: %s", turn, error)
                break
            time.sleep(0.2)
        while True:
            time.sleep(60)


class Display(threading.Thread):
    """Shows the wind on one of the jetties."""

    def __init__(self, page, jetty):
        super().__init__(name=f"display-{jetty}", daemon=True)
        self.page = page
        self.shown = 0

    def run(self):
        while True:
            samples, (direction, speed, gust) = self.page.read()
            self.shown = samples
            log.debug("%3.0f deg %2.1f m/s, gusts %2.1f", direction, speed, gust)
            time.sleep(0.1)


class Watch(threading.Thread):
    """Counts the displays that still show something new."""

    def __init__(self, displays):
        super().__init__(name="watch", daemon=True)
        self.displays = displays
        self.counts = []

    def run(self):
        while True:
            time.sleep(5)
            self.counts.append([display.shown for display in self.displays])


def main():
    logging.basicConfig(level=logging.INFO)
    page = VanePage()
    displays = [Display(page, jetty) for jetty in ("north", "fuel")]
    sensor = Sensor(page, offset=12.5)
    Watch(displays).start()
    sensor.start()
    for display in displays:
        display.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for display in displays:
        display.join()


if __name__ == "__main__":
    main()
