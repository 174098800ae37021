# SPDX-License-Identifier: Apache-2.0
"""Charters of a sailing club: bookings live in the club's old C library."""

import ctypes
import logging
import os

log = logging.getLogger("charter")
HERE = os.path.dirname(os.path.abspath(__file__))


def load():
    library = ctypes.CDLL(os.path.join(HERE, "booking.so"))
    library.charter_open.restype = ctypes.c_void_p
    library.charter_open.argtypes = [ctypes.c_char_p, ctypes.c_int]
    library.charter_extra.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double]
    library.charter_price.restype = ctypes.c_double
    library.charter_price.argtypes = [ctypes.c_void_p]
    library.charter_release.argtypes = [ctypes.c_void_p]
    return library


LIBRARY = load()


class Charter:
    """One booking; whoever holds it last gives it back."""

    def __init__(self, boat, days):
        self.boat = boat
        self.handle = LIBRARY.charter_open(boat.encode(), days)

    def extra(self, kind, price):
        LIBRARY.charter_extra(self.handle, kind, price)

    def price(self):
        return LIBRARY.charter_price(self.handle)

    def __del__(self):
        LIBRARY.charter_release(self.handle)


class HarbourDesk:
    def __init__(self):
        self.takings = 0.0

    def settle(self, charter):
        self.takings += charter.price()
        log.info("%s: paid", charter.boat)


class OfficeDesk:
    """Cancels bookings: the boat is free again at once."""

    def __init__(self):
        self.cancelled = []

    def cancel(self, charter):
        LIBRARY.charter_release(charter.handle)
        self.cancelled.append(charter.boat)
        log.info("%s: cancelled", charter.boat)


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    harbour, office = HarbourDesk(), OfficeDesk()
    for number, boat in enumerate(["Luna", "Passat", "Schwalbe", "Thetis"]):
        charter = Charter(boat, 3 + number)
        charter.extra(0, 45.0)
        if boat == "Schwalbe":
            office.cancel(charter)
        else:
            harbour.settle(charter)
        del charter
    log.info("%.2f taken, %d cancelled", harbour.takings, len(office.cancelled))


if __name__ == "__main__":
    main()
