# SPDX-License-Identifier: Apache-2.0
"""A recorder writes samples into the buffer that it was given once."""

import ctypes
import os


class Recorder:
    def __init__(self, seconds):
        self.library = ctypes.CDLL(os.path.abspath("recorder.so"))
        self.buffer = bytearray(seconds * 48000 * 2)
        memory = (ctypes.c_char * len(self.buffer)).from_buffer(self.buffer)
        self.library.record_into(ctypes.c_void_p(ctypes.addressof(memory)))
        del memory

    def record(self, samples):
        for sample in samples:
            self.library.record_sample(ctypes.c_short(sample))

    def rewind(self):
        self.buffer.clear()


def main():
    recorder = Recorder(40)
    recorder.record(range(1000))
    recorder.rewind()
    recorder.record(range(20000))
    print(len(recorder.buffer))


main()
