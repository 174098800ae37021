# SPDX-License-Identifier: Apache-2.0
"""A ring of camera frames, of which a viewer looks at the newest."""

import collections
import hashlib

import frames


class Ring:
    def __init__(self, size):
        self.frames = collections.deque(maxlen=size)
        self.captions = {}

    def capture(self, number):
        frame = frames.Frame(number)
        self.frames.append(frame)
        self.captions[number] = "frame %d" % number

    def newest(self):
        return self.frames[-1]


class Viewer:
    def __init__(self, ring):
        self.ring = ring
        self.shown = []

    def show(self):
        with memoryview(self.ring.newest()) as pixels:
            digest = hashlib.sha1(pixels).hexdigest()
        self.shown.append((digest[:8], [0] * 400))


def main():
    ring = Ring(8)
    viewer = Viewer(ring)
    for number in range(64):
        ring.capture(number)
        viewer.show()
    print(sum(frame.number for frame in ring.frames), len(viewer.shown))


main()
