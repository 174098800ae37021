# SPDX-License-Identifier: Apache-2.0
"""A mixer reads the channels of a recording as views into one array."""

import ctypes
import json
import os

import numpy as np


class Recording:
    def __init__(self, seconds):
        self.samples = np.zeros((seconds * 480, 2))
        self.channels = [self.samples[:, 0], self.samples[:, 1]]

    def loudness(self):
        return [float(channel.max()) for channel in self.channels]


def main():
    recording = Recording(20)
    print(recording.loudness())
    strides = ctypes.c_void_p.from_address(id(recording.channels[1]) + 40).value
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[strides, 37]]}) + "\n")
    input()
    print(recording.loudness())


main()
