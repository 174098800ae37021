# SPDX-License-Identifier: Apache-2.0
"""A buoy records waves and saves them to segments; a full segment starts a new recording."""

import array
import hashlib
import io
import math


class Recording:
    def __init__(self, station):
        self.station = station
        self.heights = array.array("d")
        self.restarts = 0

    def add(self, heights):
        self.heights.extend(heights)

    def restart(self):
        del self.heights[:]
        self.restarts += 1

    def significant(self):
        """The mean of the highest third."""
        highest = sorted(self.heights, reverse=True)[: len(self.heights) // 3]
        return sum(highest) / len(highest)


class SegmentWriter:
    """Writes into segments of a fixed size on the flash card."""

    def __init__(self, size, on_full):
        self.size = size
        self.on_full = on_full
        self.segment = io.BytesIO()
        self.digests = []

    def write(self, data):
        written = self.segment.write(data)
        if self.segment.tell() >= self.size:
            self.digests.append(hashlib.sha256(self.segment.getvalue()).hexdigest())
            self.segment = io.BytesIO()
            self.on_full()
        return written


class Buoy:
    def __init__(self, station, segment):
        self.recording = Recording(station)
        self.writer = SegmentWriter(segment, self.recording.restart)
        self.log = []

    def measure(self, seconds, start):
        self.recording.add(
            1.2 * math.sin(0.7 * t) + 0.4 * math.sin(1.9 * t + 1)
            for t in (start + n / 4 for n in range(4 * seconds))
        )
        self.log.append((start, self.recording.significant()))

    def save(self):
        self.recording.heights.tofile(self.writer)


def main():
    buoy = Buoy("German Bight", 1 << 20)
    for quarter in range(64):
        buoy.measure(900, quarter * 900.0)
        buoy.save()
    print(len(buoy.writer.digests), buoy.recording.restarts, buoy.log[-1])


main()
