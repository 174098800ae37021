# SPDX-License-Identifier: Apache-2.0
"""Measures how loud the recorded calls of a call centre are."""

import array
import math
from concurrent.futures import ThreadPoolExecutor

import resampler


def recording(call):
    length = 1000 + 37 * call
    return array.array("h", (int(9000 * math.sin(n / 7 + call)) for n in range(length)))


def measure(call):
    pcm = recording(call)
    return call, resampler.loudness(pcm, 48000 / 44100)


def main():
    with ThreadPoolExecutor(max_workers=3) as pool:
        for call, level in pool.map(measure, range(400)):
            print("call %d: %.0f" % (call, level), flush=True)


if __name__ == "__main__":
    main()
