# SPDX-License-Identifier: Apache-2.0
"""Echoes of a sonar buoy are kept in a ring of the driver, which grows when it is full."""

import ctypes
import os


class Echo(ctypes.Structure):
    _fields_ = [
        ("range_m", ctypes.c_double),
        ("bearing", ctypes.c_float),
        ("level", ctypes.c_float),
        ("ping", ctypes.c_uint64),
    ]


driver = ctypes.CDLL(os.path.abspath("sonar_driver.so"))
driver.echo_add.restype = ctypes.POINTER(Echo)
driver.echo_add.argtypes = [ctypes.c_double, ctypes.c_float, ctypes.c_float]


class Track:
    def __init__(self, first):
        self.first = first
        self.pings = 1

    def follow(self, echo):
        self.pings += 1
        return echo.range_m - self.first.range_m


def listen(pings):
    tracks = []
    for ping in range(pings):
        echo = driver.echo_add(400.0 - ping * 0.01, 12.5, 0.7).contents
        if ping % 5000 == 0:
            tracks.append(Track(echo))
        elif ping % 100 == 0:
            tracks[-1].follow(echo)
    return tracks


def main():
    tracks = listen(8000)
    print(len(tracks), "tracks", flush=True)
    tracks = listen(60_000)
    print(len(tracks), "tracks", tracks[0].first.range_m)


main()
