# SPDX-License-Identifier: Apache-2.0
"""Small charts of the wind for every station of a weather service."""

import array
import ctypes
import os

HOURS = 16
library = ctypes.CDLL(os.path.abspath("curves.so"))
library.curve_smooth.argtypes = [
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_ssize_t,
]  # fmt: skip


class Station:
    def __init__(self, number):
        self.number = number
        self.curve = (ctypes.c_float * HOURS)()
        self.name = "-".join(("stn", f"{number:04}", "coast"))
        gusts = (6.0 + (number * hour) % 17 for hour in range(HOURS))
        self.gusts = array.array("d", gusts)

    def draw(self):
        address, _ = self.gusts.buffer_info()
        return library.curve_smooth(self.curve, address, HOURS, ctypes.sizeof(ctypes.c_float))


class Service:
    def __init__(self, count):
        self.stations = [Station(number) for number in range(count)]
        self.by_name = {station.name: station for station in self.stations}
        self.drawn = set()

    def draw(self, every):
        for station in self.stations[::every]:
            station.draw()
            self.drawn.add(station.number)

    def page(self):
        lines = []
        for name in sorted(self.by_name):
            station = self.by_name[name]
            mark = "*" if station.number in self.drawn else " "
            lines.append(mark + name.upper().ljust(20) + f"{max(station.curve):5.1f}")
        return "\n".join(lines)


def main():
    service = Service(700)
    print(len(service.page()), "characters before")
    service.draw(9)
    print(len(service.page()), "characters after")


main()
