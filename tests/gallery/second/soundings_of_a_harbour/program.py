# SPDX-License-Identifier: Apache-2.0
"""Soundings of a harbour basin, shared between the survey boat's programs."""

from multiprocessing.shared_memory import SharedMemory

import numpy as np

SHAPE = (1200, 900)


class Survey:
    def __init__(self, shape):
        self.name = None
        self.shape = shape

    def record(self, depth_at):
        size = int(np.prod(self.shape)) * np.dtype(np.float32).itemsize
        block = SharedMemory(create=True, size=size)
        self.name = block.name
        grid = np.ndarray(self.shape, dtype=np.float32, buffer=block.buf)
        grid[:] = np.fromfunction(depth_at, self.shape, dtype=np.float32)
        return block

    def open_chart(self):
        block = SharedMemory(name=self.name)
        return np.ndarray(self.shape, dtype=np.float32, buffer=block.buf)


def shallowest(chart, rows):
    return float(chart[rows].min())


def main():
    survey = Survey(SHAPE)
    kept = survey.record(lambda y, x: 4.0 + np.sin(x / 40.0) + y / 400.0)
    try:
        chart = survey.open_chart()
        for first in range(0, SHAPE[0], 100):
            print(first, shallowest(chart, slice(first, first + 100)))
    finally:
        kept.unlink()


if __name__ == "__main__":
    main()
