# SPDX-License-Identifier: Apache-2.0
"""Weather stations in a tree; one of them is told to keep the log of all."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("station.so"))
library.station_open.argtypes = [ctypes.c_char_p]
library.station_open.restype = ctypes.c_void_p
library.station_attach.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.log_to.argtypes = [ctypes.c_void_p]
library.log_line.argtypes = [ctypes.c_char_p]


class Network:
    def __init__(self, root):
        self.root = library.station_open(root)
        self.stations = {}

    def add(self, name):
        station = library.station_open(name)
        library.station_attach(station, self.root)
        self.stations[name] = station

    def keep_log_at(self, name):
        library.log_to(self.stations[name])

    def measured(self, name, degrees):
        library.log_line(b"%s: %d degrees, wind from the west, no rain" % (name, degrees))


def main():
    network = Network(b"north")
    for name in (b"summit", b"valley", b"airport"):
        network.add(name)
    network.keep_log_at(b"valley")
    for degrees, name in enumerate(network.stations):
        network.measured(name, degrees)
    print("done")


main()
