# SPDX-License-Identifier: Apache-2.0
"""Measurements go through a small ring of the vendor's library to a thread that files them."""

import ctypes
import os
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ring = ctypes.PyDLL(os.path.join(HERE, "ring.so"))
ring.ring_push.argtypes = [ctypes.c_double]
ring.ring_pop.restype = ctypes.c_double


class Filer(threading.Thread):
    def __init__(self):
        super().__init__(name="filer", daemon=True)
        self.filed = []

    def calibrate(self):
        time.sleep(0.6)
        return 1.25

    def run(self):
        factor = self.calibrate()
        while True:
            self.filed.append(ring.ring_pop() * factor)


def measure(count):
    for number in range(count):
        yield 20.0 + (number * 7 % 13) / 10


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    filer = Filer()
    filer.start()
    tell()
    for value in measure(100):
        ring.ring_push(value)
    while len(filer.filed) < 100:
        time.sleep(0.05)
    print(sum(filer.filed) / 100)


main()
