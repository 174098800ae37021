# SPDX-License-Identifier: Apache-2.0
"""Meters send frames; a gateway library stamps each frame before it is stored."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
gateway = ctypes.CDLL(os.path.join(HERE, "gateway.so"))
gateway.stamp_frame.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]
HEADER = 40


class Frame:
    __slots__ = ("header", "meter")

    def __init__(self, number):
        self.header = ctypes.create_string_buffer(HEADER)
        self.meter = b"meter-%06d" % number


def receive(count):
    return [Frame(number) for number in range(count)]


def stamp(frames):
    for sequence, frame in enumerate(frames):
        gateway.stamp_frame(frame.header, frame.meter, sequence)


def meters(frames):
    return sorted({frame.meter.decode() for frame in frames})


def main():
    frames = receive(3000)
    stamp(frames[1500:1540])
    print(len(meters(frames)))


main()
