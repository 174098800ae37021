# SPDX-License-Identifier: Apache-2.0
import numpy as np
from numpy.lib.stride_tricks import as_strided


class Windows:
    """Overlapping windows of a trace without a copy."""

    def __init__(self, length, step):
        self.length = length
        self.step = step

    def __call__(self, trace):
        count = (trace.size - self.length) // self.step + 1
        step = self.step * trace.itemsize
        return as_strided(trace, (count, self.length), (step * trace.itemsize, trace.itemsize))


def features(windows):
    return np.stack([windows.mean(axis=1), windows.std(axis=1)], axis=1)


def trace(seconds, rate=2000):
    time = np.arange(seconds * rate) / rate
    return np.sin(2 * np.pi * 7 * time) + 0.1 * np.cos(2 * np.pi * 55 * time)


print(features(Windows(256, 128)(trace(10).astype(np.int8))).shape, flush=True)
print(features(Windows(256, 128)(trace(4000))).shape)
