# SPDX-License-Identifier: Apache-2.0
"""A weather station reads its sensors through a library that has become newer than the wrapper."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "gauge.so"))


class Status(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in "now low high mean drift noise".split()]


library.read_status.argtypes = [ctypes.POINTER(Status), ctypes.c_long]


class Sensor:
    def __init__(self, number):
        self.number = number
        self.status = Status()
        self.places = ["roof", "yard", "gate", "barn", "well", f"mast {number}"].copy()

    def read(self):
        library.read_status(ctypes.byref(self.status), self.number)
        return self.status.now

    def title(self):
        return "/".join(place.upper() for place in self.places)


def poll(sensors):
    return max(sensor.read() for sensor in sensors)


def page(sensors):
    return [f"{sensor.title()}: {sensor.status.mean:.1f}" for sensor in sensors]


def publish(count):
    sensors = [Sensor(number) for number in range(count)]
    warmest = poll(sensors)
    return warmest, page(sensors)


print(len(publish(150)[1]))
