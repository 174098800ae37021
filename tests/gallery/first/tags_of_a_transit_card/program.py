# SPDX-License-Identifier: Apache-2.0
"""A gate of the underground: the tags on a passenger's card are counted by a small library."""

import ctypes
import os
import threading
from concurrent.futures import ThreadPoolExecutor

LIBRARY = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "transit.so"))
LIBRARY.count_trips.argtypes = [ctypes.c_char_p, ctypes.c_long]
LIBRARY.count_trips.restype = ctypes.c_long


def card(*tags):
    return b"".join(bytes([kind, 2 + len(body)]) + body for kind, body in tags)


CARDS = [
    card((0x5F, b"zone 1"), (0x5F, b"zone 2"), (0x31, b"adult")),
    card((0x31, b"child"), (0x5F, b"zone 4")),
    card((0x31, b"adult")) + bytes(16) + card((0x5F, b"zone 1")),
]


def trips_on(content):
    return LIBRARY.count_trips(content, len(content))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with ThreadPoolExecutor(2, thread_name_prefix="gate") as gates:
        threading.Timer(0.5, tell).start()
        for number, trips in enumerate(gates.map(trips_on, CARDS)):
            print("card", number, "has", trips, "trips")


main()
