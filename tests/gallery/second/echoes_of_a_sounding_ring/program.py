# SPDX-License-Identifier: Apache-2.0
"""Takes soundings with an echo sounder whose driver fills a ring; then marks a lane."""

import ctypes
import time
from pathlib import Path

sounder = ctypes.CDLL(str(Path(__file__).with_name("sounder.so")))
sounder.sounder_start.argtypes = [ctypes.c_void_p, ctypes.c_long]

RING_BYTES = 975


class EchoSounder:
    def __init__(self):
        self.ring = bytearray(RING_BYTES)
        place = ctypes.c_char.from_buffer(self.ring)
        sounder.sounder_start(ctypes.addressof(place), RING_BYTES)

    def loudest(self):
        samples = memoryview(self.ring)[: RING_BYTES // 4 * 4].cast("i")
        return max(samples)

    def close(self):
        sounder.sounder_pause()
        self.ring = None


class Lane:
    def __init__(self, buoys):
        self.marks = [None] * buoys

    def lay(self):
        for number in range(len(self.marks)):
            self.marks[number] = {"buoy": number, "lit": number % 3 == 0}

    def lit(self):
        return [mark["buoy"] for mark in self.marks if mark["lit"]]


def main():
    echo_sounder = EchoSounder()
    time.sleep(0.1)
    print(echo_sounder.loudest())
    echo_sounder.close()
    lane = Lane(buoys=122)
    lane.lay()
    time.sleep(0.3)
    print(lane.lit())


if __name__ == "__main__":
    main()
