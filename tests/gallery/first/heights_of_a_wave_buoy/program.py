# SPDX-License-Identifier: Apache-2.0
"""The heights of waves come from a buoy's driver, whose own thread calls back."""

import ctypes
import os
import threading

driver = ctypes.CDLL(os.path.abspath("buoy_driver.so"))
LISTENER = ctypes.CFUNCTYPE(None, ctypes.c_int)
arrived = threading.Event()
heights = []


@LISTENER
def on_reading(height):
    heights.append(height)
    arrived.set()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    driver.buoy_listen(on_reading)
    tell()
    while len(heights) < 10:
        arrived.wait()
        arrived.clear()


main()
