# SPDX-License-Identifier: Apache-2.0
"""A self-service checkout: bar-code scanners come and go at its ports."""

import ctypes
import logging
import os
import time

log = logging.getLogger("checkout")


class Scanners:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("barscan.so"))
        self.ports = set()

    def attach(self, port):
        if port in self.ports:
            log.info("port %d: another scanner", port)
            self.library.scanner_replace(port)
        else:
            log.info("port %d: new scanner", port)
            self.library.scanner_attach(port)
            self.ports.add(port)

    def detach(self, port):
        self.library.scanner_detach(port)
        self.ports.discard(port)
        log.info("port %d: scanner gone", port)

    def wait_until_seen(self, port):
        while not self.library.scanner_seen(port):
            time.sleep(0.01)


class Checkout:
    """Obeys the events that the bus tells."""

    def __init__(self, scanners):
        self.scanners = scanners
        self.handlers = {"plug": self.plugged, "unplug": scanners.detach, "blink": self.blink}

    def plugged(self, port):
        self.scanners.attach(port)
        self.scanners.wait_until_seen(port)

    def blink(self, port):
        log.info("port %d: light", port)

    def obey(self, events):
        for word, port in events:
            self.handlers[word](port)


EVENTS = [
    ("plug", 1),
    ("plug", 2),
    ("blink", 1),
    ("unplug", 1),
    ("plug", 1),
    ("blink", 2),
    # The cable of port 2 was loose: the bus tells of it again without a word of its end.
    ("plug", 2),
    ("blink", 2),
    ("unplug", 1),
]


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    scanners = Scanners()
    Checkout(scanners).obey(EVENTS)
    log.info("ports in use: %s", sorted(scanners.ports))


main()
