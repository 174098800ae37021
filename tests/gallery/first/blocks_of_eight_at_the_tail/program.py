# SPDX-License-Identifier: Apache-2.0
"""A data pipeline calibrates the samples of many sensors with a vectorised routine."""

import ctypes
import os

import numpy as np

kernels = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.so"))
kernels.calibrate.argtypes = [
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double, ctypes.c_double,
]  # fmt: skip


class Channel:
    def __init__(self, number, length):
        self.number = number
        self.samples = np.arange(length, dtype=np.float64) + number

    def calibrate(self):
        kernels.calibrate(self.samples.ctypes.data, self.samples.size, 1.5, 0.25)


def gather(count):
    return [Channel(number, 17 + number % 3) for number in range(count)]


def publish(channels):
    return {channel.number: float(channel.samples.max()) for channel in channels}


def main():
    channels = gather(64)
    for channel in channels[10:50:4]:
        channel.calibrate()
    peaks = publish(channels)
    print(len(peaks))
    for _ in range(40):
        channels.pop()
    print(len(gather(64)))
    channels.clear()
    print("archived")


main()
