# SPDX-License-Identifier: Apache-2.0
"""Close the year of a rental fleet: metres driven by all vans, from their trip logs."""

import array
import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FLEET = ctypes.CDLL(os.path.join(HERE, "fleet.so"))


def trips(van):
    """Return the metres of each trip of a van in a year."""
    return array.array("i", [21_000 + 137 * (van * day % 211) for day in range(310)])


def add_van(van):
    log = trips(van)
    address, count = log.buffer_info()
    FLEET.add_trips(ctypes.c_void_p(address), count)


def close_year(vans):
    for van in range(1, vans + 1):
        add_van(van)
    return FLEET.metres_driven() / 1000


print("small depot: %.0f km" % close_year(12))
print("all depots: %.0f km" % close_year(420))
