# SPDX-License-Identifier: Apache-2.0
"""Counts the pulses of a gas meter that a simulated contact puts into a native ring."""

import ctypes
import os
import pathlib
import threading
import time

library = ctypes.PyDLL(str(pathlib.Path(__file__).resolve().with_name("pulse_ring.so")))
library.ring_new.restype = ctypes.c_void_p
library.ring_push.argtypes = [ctypes.c_void_p, ctypes.c_uint]
library.ring_pop.argtypes = [ctypes.c_void_p]
library.ring_pop.restype = ctypes.c_uint


class PulseRing:
    def __init__(self):
        self._as_parameter_ = ctypes.c_void_p(library.ring_new())

    def put(self, stamp):
        library.ring_push(self, stamp)

    def __iter__(self):
        return self

    def __next__(self):
        return library.ring_pop(self)


def contact(ring):
    """Close the contact of the meter as a burner would."""
    for stamp in range(0, 1_000_000, 125):
        ring.put(stamp)
        time.sleep(0.02 if stamp % 1000 else 0.2)


def main():
    ring = PulseRing()
    threading.Thread(target=contact, args=(ring,), name="contact", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    volume = 0.0
    for stamp in ring:
        volume += 0.01
        print(f"{stamp / 1000:8.3f} s  {volume:.2f} m3", flush=True)


main()
