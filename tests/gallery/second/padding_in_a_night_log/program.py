# SPDX-License-Identifier: Apache-2.0
"""An observatory reads the binary log of its dome: opening times, wind, humidity."""

import os
import struct
from collections import Counter

HEADER = struct.Struct("<BBHI")  # kind, flags, length of the whole record, seconds since dusk
KINDS = {1: "shutter", 2: "wind", 3: "humidity", 4: "rotation"}
PADDING = 0


def record(kind, seconds, body):
    return HEADER.pack(kind, 0, HEADER.size + len(body), seconds) + body


def recorded_night():
    """The controller fills a page of 512 bytes with zeros before it begins the next."""
    page = b"".join(record(1 + n % 4, n * 40, struct.pack("<f", n * 0.75)) for n in range(40))
    page = page.ljust(512, b"\0")
    return page + record(1, 30000, struct.pack("<f", 0.0))


class DomeLog:
    def __init__(self, data):
        self.data = data
        self.position = 0
        self.counts = Counter()
        self.skipped = 0
        self.last_wind = None

    def take(self, kind, body):
        self.counts[KINDS[kind]] += 1
        if kind == 2:
            (self.last_wind,) = struct.unpack("<f", body)

    def read(self):
        while self.position + HEADER.size <= len(self.data):
            kind, _flags, length, _seconds = HEADER.unpack_from(self.data, self.position)
            if kind == PADDING:
                self.skipped += 1
                self.position += length
                continue
            self.take(kind, self.data[self.position + HEADER.size : self.position + length])
            self.position += length
        return self.counts


def summary(counts):
    return ", ".join("%d %s" % (number, name) for name, number in counts.most_common())


def main():
    log = DomeLog(recorded_night())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("night of 2024-11-03: " + summary(log.read()))
    print("last wind: %s m/s" % log.last_wind)


if __name__ == "__main__":
    main()
