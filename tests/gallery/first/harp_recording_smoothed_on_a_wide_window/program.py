"""Restoration of wax cylinders: clicks are removed by a median filter whose width is told in seconds."""

import array
import configparser
import ctypes
import math
import os
import threading

SETTINGS = """
[cylinder 1]
title = Air for the harp
rate = 8000
click = 0.0006
step = 7

[cylinder 2]
title = March
rate = 8000
click = 0.0009
step = 11

[cylinder 3]
title = Lament
rate = 22050
; one number of this section was meant in milliseconds
click = 2.4
step = 4001
"""

FILTER = ctypes.CDLL(os.path.abspath("smooth.so")).median_filter
FILTER.restype = ctypes.c_long
FILTER.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_long]


class Cylinder:
    def __init__(self, section):
        self.title = section["title"]
        self.rate = section.getint("rate")
        self.window = int(section.getfloat("click") * self.rate) | 1
        self.step = section.getint("step")
        self.samples = array.array("d", self.play(2))
        self.clean = array.array("d", self.samples)

    def play(self, seconds):
        for number in range(seconds * self.rate):
            click = 0.9 if number % 997 == 0 else 0.0
            yield 0.3 * math.sin(number * 440 * 2 * math.pi / self.rate) + click

    def restore(self):
        source, target = self.samples.buffer_info()[0], self.clean.buffer_info()[0]
        return FILTER(source, target, len(self.samples), self.window, self.step)


class Studio(threading.Thread):
    def __init__(self, cylinders):
        super().__init__(name="studio")
        self.cylinders = cylinders

    def run(self):
        for cylinder in self.cylinders:
            print(f"{cylinder.title}: window of {cylinder.window} samples", flush=True)
            print(f"{cylinder.title}: {cylinder.restore()} samples changed", flush=True)


def read_settings(text):
    parser = configparser.ConfigParser()
    parser.read_string(text)
    return [Cylinder(parser[name]) for name in parser.sections()]


def main():
    threading.stack_size(256 * 1024)  # many studios at once on the archive's small server
    studio = Studio(read_settings(SETTINGS))
    studio.start()
    studio.join()


main()
