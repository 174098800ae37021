# SPDX-License-Identifier: Apache-2.0
"""Smooths the channels of an electrocardiogram and looks for beats."""

import array
import ctypes
import math
import os

library = ctypes.CDLL(os.path.abspath("ecg_filter.so"))
library.ecg_smooth.argtypes = [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
]  # fmt: skip
TAPS = array.array("d", [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05])


def address(values):
    return values.buffer_info()[0]


def smooth(samples):
    smoothed = array.array("d", [0.0]) * len(samples)
    library.ecg_smooth(address(samples), len(samples), address(TAPS), len(TAPS), address(smoothed))
    return smoothed


class Beat:
    def __init__(self, channel, at, height):
        self.channel, self.at, self.height = channel, at, height


def find_beats(channel, samples):
    level = 0.6 * max(samples)
    return [
        Beat(channel, at, height)
        for at, height in enumerate(samples)
        if height > level and height == max(samples[max(0, at - 5) : at + 6])
    ]


def main():
    beats, windows = [], []
    for turn in range(400):
        for channel in ("I", "II", "III", "aVR"):
            samples = array.array("d", (math.sin(n / 5 + turn) ** 9 for n in range(250)))
            windows.append(smooth(samples))
            beats += find_beats(channel, windows[-1])
        del windows[:-40]
    print(len(beats), max(beat.height for beat in beats))


if __name__ == "__main__":
    main()
