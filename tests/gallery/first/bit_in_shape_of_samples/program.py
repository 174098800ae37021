# SPDX-License-Identifier: Apache-2.0
"""A bit of the shape of a numpy array was flipped from outside while the pipeline waited."""

import ctypes
import json
import os

import numpy as np


class Window:
    """The latest samples of a sensor."""

    def __init__(self, length):
        self.samples = np.linspace(0.0, 1.0, length)
        self.weights = np.ones(length)

    def level(self):
        return float(self.samples.sum())


def main():
    windows = [Window(5000) for _ in range(6)]
    print(sum(window.level() for window in windows))
    array = windows[3].samples
    shape = ctypes.c_void_p.from_address(id(array) + 32).value
    del array
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[shape, 36]]}) + "\n")
    input()
    print(sum(window.level() for window in windows))


main()
