# SPDX-License-Identifier: Apache-2.0
"""Frames of a thermal camera, exported as buffers to the code that scales them."""

import thermal


def hottest(frame):
    with memoryview(frame) as view:
        return max(view)


def scan(frames):
    return [hottest(frame) for frame in frames]


def main():
    frames = [thermal.Frame(40 + n) for n in range(30)]
    notes = []
    for second in range(4):
        temperatures = scan(frames)
        notes.append([bytearray([second + 100]) * 103 for _ in range(30)])
        print(second, max(temperatures), flush=True)
    for frame in frames:
        print(frame.caption(), end=" ")


main()
