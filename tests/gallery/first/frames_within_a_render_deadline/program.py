# SPDX-License-Identifier: Apache-2.0
"""A render node computes frames; a timer of the node's library ends what takes too long."""

import ctypes
import math
import os

HERE = os.path.dirname(os.path.abspath(__file__))
node = ctypes.CDLL(os.path.join(HERE, "node.so"))
node.arm_deadline.argtypes = [ctypes.c_int]


def shade(x, y, time):
    return math.sin(x * 0.013 + time) * math.cos(y * 0.017 - time) * 0.5 + 0.5


def render_frame(width, height, time):
    total = 0.0
    for y in range(height):
        for x in range(width):
            total += shade(x, y, time)
    return total / (width * height)


class Job:
    def __init__(self, frames, deadline):
        self.frames = frames
        self.deadline = deadline
        self.brightness = []

    def run(self):
        if node.arm_deadline(int(self.deadline * 1000)):
            raise OSError("the node has no timer left")
        for frame in range(self.frames):
            self.brightness.append(render_frame(640, 360, frame / 25))
        node.arm_deadline(0)


def main():
    job = Job(5000, 2.0)
    job.run()
    print(sum(job.brightness))


main()
