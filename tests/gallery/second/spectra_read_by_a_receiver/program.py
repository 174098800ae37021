# SPDX-License-Identifier: Apache-2.0
"""Reads spectra from a software radio; the driver fills the buffers that it was given."""

import ctypes
import os
import time
from array import array

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "receiver.so"))
lib.receiver_submit.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

BINS = 100


class Receiver:
    def __init__(self, channels):
        self.buffers = [array("f", bytes(4 * BINS)) for _ in range(channels)]
        for buffer in self.buffers:
            address, count = buffer.buffer_info()
            lib.receiver_submit(address, count * buffer.itemsize)
        lib.receiver_start()

    def wait(self, rounds):
        goal = lib.receiver_rounds() + rounds
        while lib.receiver_rounds() < goal:
            time.sleep(0.001)

    def spectra(self):
        self.wait(2)
        return [buffer[:] for buffer in self.buffers]

    def narrow(self, channels):
        """Goes on with the first channels only."""
        del self.buffers[channels:]


class Station:
    def __init__(self, name, frequency):
        self.name = name
        self.frequency = frequency
        self.levels = {}
        self.log = [None] * 48

    def hear(self, level):
        self.levels[len(self.levels)] = level
        self.log[len(self.levels) % 48] = (self.name, level)


def main():
    receiver = Receiver(40)
    print(len(receiver.spectra()))
    receiver.narrow(4)
    stations = [Station("station %d" % number, 87.5 + number / 10) for number in range(200)]
    for _ in range(60):
        for spectrum in receiver.spectra():
            for station in stations:
                station.hear(len(spectrum) + station.frequency)
    print(sum(len(station.levels) for station in stations))


main()
