# SPDX-License-Identifier: Apache-2.0
"""Search the plates of an observatory's archive for stars, within the memory of a batch job."""

import logging
import resource
import threading
from dataclasses import dataclass

import plate

log = logging.getLogger("archive")
ALLOWANCE = 900 << 20


@dataclass(frozen=True)
class Scan:
    name: str
    width: int
    height: int

    @property
    def megabytes(self):
        return self.width * self.height * 8 >> 20


class Catalogue:
    def __init__(self):
        self._lock = threading.Lock()
        self._stars = {}
        self.too_large = []

    def enter(self, scan, stars):
        with self._lock:
            self._stars[scan.name] = stars

    def __len__(self):
        return sum(self._stars.values())


class Search:
    def __init__(self, catalogue, limit):
        self.catalogue, self.limit = catalogue, limit

    def one(self, scan):
        glass = plate.expose(scan.name, scan.width, scan.height)
        self.catalogue.enter(scan, glass.search(self.limit))

    def all(self, scans):
        for scan in scans:
            try:
                self.one(scan)
                log.info("%s: %d MB", scan.name, scan.megabytes)
            except MemoryError:
                log.warning("%s is too large: %d MB", scan.name, scan.megabytes)
                self.catalogue.too_large.append(scan)


def main():
    logging.basicConfig(level=logging.INFO)
    resource.setrlimit(resource.RLIMIT_AS, (ALLOWANCE, ALLOWANCE))
    catalogue = Catalogue()
    scans = [Scan(f"B{number}", 300 + number, 400) for number in range(8)]
    scans += [Scan("Schmidt 14", 14000, 14000), Scan("B9", 310, 400)]
    Search(catalogue, 0.93).all(scans)
    log.info("%d stars; again by hand: %s", len(catalogue), catalogue.too_large)


if __name__ == "__main__":
    main()
