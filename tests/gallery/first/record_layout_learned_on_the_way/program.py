# SPDX-License-Identifier: Apache-2.0
"""Writes records of a measuring station. The layout is known only once the station has said which
version it is; until then that of the oldest station is used."""

import struct

CHANNELS = 20_000
OLD = "<" + "ih" * CHANNELS
NEW = "<i"


class Station:
    def __init__(self, layout):
        self.layout = layout
        self.version = None

    def say_version(self):
        self.version = 2
        self.layout.__init__(NEW)


class Reading:
    def __init__(self, station, value):
        self.station, self.value = station, value

    def __index__(self):
        if self.station.version is None:
            self.station.say_version()
        return self.value


def pack(layout, readings):
    return layout.pack(*readings)


layout = struct.Struct(OLD)
station = Station(layout)
print(len(pack(layout, [Reading(station, n % 100) for n in range(2 * CHANNELS)])))
