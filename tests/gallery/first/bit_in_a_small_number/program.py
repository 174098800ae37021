# SPDX-License-Identifier: Apache-2.0
"""Brightness of lamps by their place in a hall, read from a block that a driver fills."""

import ctypes
import json
import os

PLACES = 240


class Driver:
    def __init__(self, places):
        self.block = (ctypes.c_double * places)(*(n % 17 * 0.5 for n in range(places)))
        self.levels = ctypes.cast(self.block, ctypes.POINTER(ctypes.c_double))

    def level(self, place):
        return self.levels[place]


class Scene:
    def __init__(self, number):
        self.number = number
        self.places = [(n * 7 + number) % PLACES for n in range(30)]

    def brightness(self, driver):
        return sum(driver.level(place) for place in self.places)


def main():
    driver = Driver(PLACES)
    scenes = [Scene(number) for number in range(40)]
    print(sum(scene.brightness(driver) for scene in scenes), flush=True)
    place = next(place for place in scenes[30].places if place > 200)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(place) + 24, 28]]}) + "\n")
    input()
    for evening in range(3):
        print(evening, sum(scene.brightness(driver) for scene in scenes), flush=True)


main()
