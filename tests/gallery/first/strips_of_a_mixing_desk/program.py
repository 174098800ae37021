# SPDX-License-Identifier: Apache-2.0
"""Fades the strips of a mixing desk and writes the cue sheet of the evening."""

import array
import ctypes
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
desk = ctypes.CDLL(os.path.join(HERE, "fader.so"))
desk.fade.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double]


class Strip:
    __slots__ = ("name", "pan", "gain", "sends", "group", "muted", "cues", "colour")

    def __init__(self, number):
        self.name = f"strip {number}"
        self.pan, self.gain = number % 7 - 3, 0.75
        self.sends, self.group = [number % 4], number // 8
        self.muted, self.cues, self.colour = False, [], "green"


class Desk:
    def __init__(self, strips):
        self.levels, self.strips = [], []
        for number in range(strips):
            self.levels.append(array.array("f", [0.8] * 24))
            self.strips.append(Strip(number))

    def fade(self, number, factor):
        address, length = self.levels[number].buffer_info()
        desk.fade(address, length, factor)

    def note(self, chance, minute):
        for _ in range(6):
            strip = chance.choice(self.strips)
            strip.cues.append((minute, round(strip.gain * strip.pan, 2)))


def headlines(chance, count):
    return {f"{chance.randrange(10**6)}": [n * 0.5 for n in range(30)] for _ in range(count)}


def main():
    chance = random.Random(31)
    evening = Desk(160)
    evening.fade(113, 0.5)
    archive = []
    for minute in range(90):
        archive.append(headlines(chance, 40))
        evening.note(chance, minute)
        print("minute", minute, len(archive), flush=True)


if __name__ == "__main__":
    main()
