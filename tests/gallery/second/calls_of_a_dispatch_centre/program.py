# SPDX-License-Identifier: Apache-2.0
"""A dispatch centre sends its cars to the calls that wait, the most urgent first."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("dispatch.so"))
library.dispatch_waiting.restype = ctypes.c_long
PLACES = ("Harbour Street 12", "Old Mill Lane 3, second floor", "Station Square 1", "Hill Road 88")


class Centre:
    def __init__(self, cars):
        self.cars = cars

    def receive(self, count, hour):
        for number in range(count):
            place = PLACES[(number + hour) % len(PLACES)]
            library.dispatch_take((number * 7 + hour) % 10, place.encode())

    def send(self):
        sent = library.dispatch_send(self.cars)
        return sent, library.dispatch_waiting()


def main():
    centre = Centre(cars=9)
    for hour, calls in enumerate((14, 11, 4, 2, 9, 6)):
        centre.receive(calls, hour)
        print(hour, *centre.send(), flush=True)


main()
