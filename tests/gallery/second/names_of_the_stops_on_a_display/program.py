# SPDX-License-Identifier: Apache-2.0
"""Show the stops of a bus line on the displays of its cars."""

import ctypes
import os

DISPLAY = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "display.so"))
DISPLAY.show_stop.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
LineText = ctypes.c_char * 48


class Bus:
    """The displays of a bus, two a car, and the departures that each of them will show."""

    def __init__(self, line, cars):
        self.texts = []
        self.departures = []
        for car in range(cars):
            for number in range(400):
                if number % 200 == 100:
                    self.texts.append(LineText())
                key = "%s-%d-%05d" % (line, car, number * 37 % 9973)
                self.departures.append(key.encode())

    def show(self, name):
        for text in self.texts:
            DISPLAY.show_stop(text, name.encode())

    def timetable(self):
        return sorted(self.departures)


def drive(bus, stops):
    for name in stops:
        bus.show(name)


def main():
    bus = Bus("M4", cars=9)
    drive(bus, ["Old Market", "Town Hall", "Central Station", "University", "Harbour"])
    print(len(bus.timetable()), "departures")


main()
