# SPDX-License-Identifier: Apache-2.0
"""A survey boat follows its planned track while the echo sounder records depths."""

import ctypes
import math
import os
import time
from dataclasses import dataclass, field

SLOT = ctypes.sizeof(ctypes.c_double)


class Sounder:
    def __init__(self, slots):
        self.driver = ctypes.CDLL(os.path.abspath("sounder.so"))
        self.driver.sounder_attach.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.driver.sounder_stop.restype = ctypes.c_ulong
        self.slots = slots
        self.ring = bytearray(slots * SLOT)
        self.journal = [b"sounder opened".ljust(900), b"gain 12 dB".ljust(900)]
        address = ctypes.addressof((ctypes.c_double * slots).from_buffer(self.ring))
        self.driver.sounder_attach(address, slots)

    def start(self):
        if self.driver.sounder_start():
            raise OSError("the sounder did not start")

    def lengthen(self, slots):
        """Make room for a longer leg."""
        self.ring.extend(bytes((slots - self.slots) * SLOT))
        self.slots = slots

    def stop(self):
        return self.driver.sounder_stop()


@dataclass
class Waypoint:
    name: str
    east: float
    north: float
    done: bool = False


@dataclass
class Track:
    boat: str
    points: list = field(default_factory=list)

    def length(self):
        legs = zip(self.points, self.points[1:])
        return sum(math.hypot(b.east - a.east, b.north - a.north) for a, b in legs)

    def nearest(self, east, north):
        return min(self.points, key=lambda p: math.hypot(p.east - east, p.north - north))


def plan(count):
    track = Track("Nordstern", [None] * count)
    for number in range(count):
        lane, along = divmod(number, 25)
        track.points[number] = Waypoint(f"W{number:03}", lane * 40.0, along * 12.5)
    return track


def sail(track, seconds):
    until = time.monotonic() + seconds
    east = north = 0.0
    while time.monotonic() < until:
        near = track.nearest(east, north)
        near.done = True
        east, north = near.east + 13.0, near.north + 5.0
        if east > 900:
            east = 0.0
        time.sleep(0.002)
    return sum(point.done for point in track.points)


def main():
    sounder = Sounder(640)
    sounder.start()
    time.sleep(0.05)
    sounder.lengthen(6000)
    track = plan(630)
    print("planned", round(track.length()), "m")
    print("reached", sail(track, 20.0), "waypoints")
    print("pings", sounder.stop())


main()
