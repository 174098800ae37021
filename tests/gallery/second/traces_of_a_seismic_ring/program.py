# SPDX-License-Identifier: Apache-2.0
"""Keeps the last minute of a seismometer in a ring of the acquisition library."""

import ctypes
import os
import threading
import time
from pathlib import Path

ring = ctypes.CDLL(os.path.abspath("seismic_ring.so"))
ring.ring_put.argtypes = [ctypes.POINTER(ctypes.c_int32), ctypes.c_uint]
ring.ring_take.restype = ctypes.c_uint


def packet(number, samples):
    return (ctypes.c_int32 * samples)(*(number * n % 4001 - 2000 for n in range(samples)))


def gps_clock(stop):
    while not stop.wait(0.2):
        Path("pps").write_text("locked")


def acquire(packets):
    for number in range(packets):
        samples = 240 if number != 44 else 1400
        ring.ring_put(packet(number, samples), samples)
        time.sleep(0.005)
        if number % 3 == 2:
            ring.ring_take(720)


def main():
    stop = threading.Event()
    threading.Thread(target=gps_clock, args=(stop,), name="gps-clock", daemon=True).start()
    digitizer = threading.Thread(target=acquire, args=(200,), name="digitizer")
    digitizer.start()
    digitizer.join()
    stop.set()


if __name__ == "__main__":
    main()
