# SPDX-License-Identifier: Apache-2.0
"""A recorder writes samples into a ring; it is told to keep twice as many."""

import array
import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ring.so"))
library.open_ring.argtypes = [ctypes.c_uint64]
library.put_samples.argtypes = [ctypes.c_void_p, ctypes.c_long]


class Recorder:
    def __init__(self, size):
        library.open_ring(size)

    def write(self, samples):
        library.put_samples(samples.buffer_info()[0], len(samples))

    def keep_more(self):
        library.keep_more()


def record(recorder, blocks):
    for block in range(blocks):
        recorder.write(array.array("q", [block * 512 + n for n in range(512)]))


def session(recorder):
    record(recorder, 40)
    recorder.keep_more()
    record(recorder, 40)


session(Recorder(1 << 16))
