# SPDX-License-Identifier: Apache-2.0
"""Frames are measured by two readers each, then encoded."""

import video

SIZE = 4 << 20


def capture(count):
    return [bytearray(SIZE) for _ in range(count)]


def measure(frame):
    first = video.open_reader(frame)
    second = first.fork()
    return first.brightness() + second.brightness()


def encode(frame):
    return frame[0] + frame[SIZE // 2]


def transcode(frames):
    for number in range(len(frames)):
        measure(frames[number])
    return [encode(frame) for frame in frames]


def main():
    print(transcode(capture(8)))


main()
