# SPDX-License-Identifier: Apache-2.0
"""Frames of a camera are averaged over a minute."""

import json
import os

import numpy as np


class Camera:
    def __init__(self, rows, columns):
        self.background = np.full((rows, columns), 0.25)
        self.frames = [np.full((rows, columns), n / 8) for n in range(5)]

    def brightness(self):
        return float(sum((frame - self.background).sum() for frame in self.frames))


def main():
    camera = Camera(60, 80)
    print(camera.brightness())
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(camera.frames[2]) + 16, 41]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(camera.brightness())


main()
