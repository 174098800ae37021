# SPDX-License-Identifier: Apache-2.0
"""A podcast studio cuts its takes: finds peaks and silence with a small extension."""

import array
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from waveform import Waveform

RATE = 48000


class Take:
    """A take of a speaker, in 16-bit samples."""

    def __init__(self, name, seconds):
        self.name = name
        period = array.array("h", (int(9000 * math.sin(n / 20)) for n in range(RATE)))
        self.data = bytearray(period.tobytes() * seconds)
        self.wave = Waveform(self.data)

    def normalise(self, level=29000):
        factor = level / self.wave.peak()
        scaled = array.array("h", bytes(self.data))
        table = {}
        for n in range(0, RATE):
            value = scaled[n]
            scaled[n] = table.setdefault(value, int(value * factor))
        self.data[: 2 * RATE] = scaled[:RATE].tobytes()
        return factor


class Studio:
    def __init__(self):
        self.takes = []

    def record(self, name, seconds):
        take = Take(name, seconds)
        self.takes.append(take)
        print("%s: %d s, peak %d" % (name, seconds, take.wave.peak()), flush=True)

    def archive(self, name):
        """The samples are on disk now: give their memory back."""
        for take in self.takes:
            if take.name == name:
                with open(name + ".raw", "wb") as file:
                    file.write(take.data)
                take.data.clear()

    def silences(self, limit=200):
        return {take.name: take.wave.silence(limit) for take in self.takes}


def main():
    studio = Studio()
    studio.record("intro", 30)
    studio.record("interview", 45)
    print("factor %.2f" % studio.takes[1].normalise(), flush=True)
    print(studio.silences(), flush=True)
    studio.archive("intro")
    print(studio.silences())


main()
