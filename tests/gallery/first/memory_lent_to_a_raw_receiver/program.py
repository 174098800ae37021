# SPDX-License-Identifier: Apache-2.0
"""A school's ground station makes pictures of what weather satellites send."""

import io
import logging

from receiver import Receiver

log = logging.getLogger("station")
LINE = 2 << 20
BUFFER = 4 << 20


class Picture:
    def __init__(self, satellite):
        self.satellite = satellite
        self.sums = []

    def add(self, data):
        self.sums.append(sum(data[::4096]))

    def contrast(self):
        return max(self.sums) - min(self.sums)


def passes_of(satellite, number):
    for n in range(number):
        yield bytes([(len(satellite) * 17 + n * 29) % 256]) * LINE


class Station:
    def __init__(self):
        self.pictures = []

    def receive(self, receiver, satellite):
        """Read a pass through a buffer, as the raw lines are large."""
        picture = Picture(satellite)
        reader = io.BufferedReader(receiver, buffer_size=BUFFER)
        while True:
            data = reader.read(65536)
            if not data:
                break
            picture.add(data)
        reader.detach()
        self.pictures.append(picture)
        return picture

    def track(self, satellite, lines):
        receiver = Receiver(passes_of(satellite, lines))
        picture = self.receive(receiver, satellite)
        log.info("%s: %d lines, contrast %d", satellite, receiver.lines, picture.contrast())
        return receiver


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    station = Station()
    receiver = station.track("METEOR M2", lines=2)
    log.info("%d lines settled", receiver.settle(90))
    receiver = station.track("NOAA 19", lines=3)
    log.info("%d lines settled", receiver.settle(94))


main()
