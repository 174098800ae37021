# SPDX-License-Identifier: Apache-2.0
"""Takes of a pirate radio are recorded by a library that levels the sound on its own thread."""

import ctypes
import os


class Recorder:
    library = ctypes.CDLL(os.path.abspath("take_recorder.so"))
    library.take_open.restype = ctypes.c_void_p
    library.take_open.argtypes = [ctypes.c_int]
    library.take_feed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    library.take_close.argtypes = [ctypes.c_void_p]

    def __init__(self, rate):
        self.take = self.library.take_open(rate)

    def __enter__(self):
        return self

    def feed(self, samples):
        if self.library.take_feed(self.take, samples, len(samples)) < 0:
            raise ValueError("odd number of bytes")

    def __exit__(self, *exc_info):
        self.library.take_close(self.take)


def record(pieces):
    with Recorder(44_100) as recorder:
        for piece in pieces:
            recorder.feed(piece)
    return len(pieces)


def main():
    print(record([b"\x10\x01" * 400, b"\x20\x02" * 300]), flush=True)
    print(record([b"\x10\x01" * 400, b"\x20\x02\x01" * 301]), flush=True)


main()
