# SPDX-License-Identifier: Apache-2.0
"""A camera above the entrance of a hive, and what is made of its frames."""

import collections

from frames_of_a_bee_camera import Frame

WIDTH, HEIGHT = 4096, 3072


class Camera:
    """Keeps the newest frames; older ones are recycled."""

    def __init__(self, depth=3):
        self.ring = collections.deque()
        self.depth = depth
        self.number = 0

    def capture(self):
        if len(self.ring) == self.depth:
            self.ring.popleft().recycle()
        frame = Frame(WIDTH, HEIGHT, 40 + 3 * self.number)
        self.number += 1
        self.ring.append(frame)
        return frame


class EntranceCounter:
    """Compares a strip of each frame with that of a frame seen long before."""

    def __init__(self, strip):
        self.strip = slice(strip.start * WIDTH, strip.stop * WIDTH)
        self.history = collections.deque(maxlen=5)

    def movement(self, frame):
        now = memoryview(frame)[self.strip]
        self.history.append(now)
        before = self.history[0]
        return sum(abs(one - two) for one, two in zip(now[::512], before[::512]))
