"""Avalanche warning of a valley: geophones report shocks, the library calls back above a threshold."""

import ctypes
import os
import time

LIBRARY = ctypes.CDLL(os.path.abspath("geophone.so"))


class Shock(ctypes.Structure):
    _fields_ = [("station", ctypes.c_int), ("amplitude", ctypes.c_int)]


Alarm = ctypes.CFUNCTYPE(None, ctypes.c_long, ctypes.c_long)
Order = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Shock), ctypes.POINTER(Shock))
STATIONS = {1: "Obergrat", 2: "Kar", 3: "Lawinenzug", 4: "Talstrasse"}


class Warning_:
    def __init__(self, threshold):
        self.raised = []
        LIBRARY.geophone_watch(Alarm(self.alarm), threshold)

    def alarm(self, station, amplitude):
        self.raised.append((time.time(), station, amplitude))
        print("ALARM", STATIONS[station], amplitude, flush=True)


class Evaluation:
    """Sorts the shocks of an hour, the strongest first."""

    def __init__(self):
        self.order = Order(self.compare)

    def compare(self, left, right):
        return right.contents.amplitude - left.contents.amplitude

    def strongest(self, shocks, number):
        LIBRARY.geophone_sort(shocks, len(shocks), self.order)
        return [(STATIONS[shock.station], shock.amplitude) for shock in shocks[:number]]


def hour(seed, peak):
    """Shocks of one hour; `peak` is the strongest."""
    shocks = (Shock * 40)()
    for number in range(40):
        shocks[number].station = 1 + (seed + number) % 4
        shocks[number].amplitude = 3 + (seed * number) % 17
    shocks[25].amplitude = peak
    return shocks


def main():
    warning = Warning_(threshold=80)
    evaluation = Evaluation()
    for number, peak in enumerate([21, 34, 55, 20, 144, 30]):
        shocks = hour(number, peak)
        alarms = LIBRARY.geophone_feed(shocks, len(shocks))
        print(
            f"hour {number}: {alarms} alarms, strongest {evaluation.strongest(shocks, 3)}",
            flush=True,
        )
    print(len(warning.raised), "alarms today")


main()
