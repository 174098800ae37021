# SPDX-License-Identifier: Apache-2.0
"""A screen recorder queues frames for its encoder and encodes them when the second is over."""

import ctypes
import os


class Frame(ctypes.Structure):
    _fields_ = [
        ("number", ctypes.c_int),
        ("size", ctypes.c_size_t),
        ("pixels", ctypes.c_void_p),
    ]


class Recorder:
    def __init__(self, width, height):
        self.size = width * height * 4
        self.encoder = ctypes.CDLL(os.path.abspath("encoder.so"))
        self.encoder.encode_frame.restype = ctypes.c_ulong
        self.waiting = []

    def grab(self, number):
        pixels = ctypes.create_string_buffer(self.size)
        pixels[0] = number % 256
        self.waiting.append(Frame(number, self.size, ctypes.addressof(pixels)))

    def flush(self):
        sums = [self.encoder.encode_frame(ctypes.byref(frame)) for frame in self.waiting]
        self.waiting.clear()
        return sums


def main():
    recorder = Recorder(1920, 1080)
    for number in range(6):
        recorder.grab(number)
    print(recorder.flush())


main()
