# SPDX-License-Identifier: Apache-2.0
"""Frames are cut out of one large buffer without a copy."""

import json
import os


class Ring:
    def __init__(self, frames, size):
        self.memory = memoryview(bytearray(frames * size))
        self.frames = [self.memory[n * size : (n + 1) * size] for n in range(frames)]

    def marks(self):
        return sum(frame[0] + frame[-1] for frame in self.frames)


def main():
    ring = Ring(64, 1500)
    print(ring.marks())
    with open("ready", "w") as file:
        told = {"pid": os.getpid(), "memory": [[id(ring.frames[20]) + 56, 42]]}
        file.write(json.dumps(told) + "\n")
    input()
    print(ring.marks())


main()
