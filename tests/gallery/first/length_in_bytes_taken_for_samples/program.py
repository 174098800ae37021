# SPDX-License-Identifier: Apache-2.0
"""The loudness of a recording: the library counts in samples of four bytes, the caller gives it the
length in bytes. It reads on behind the recording until the mapped memory ends."""

import ctypes
import os
from array import array

audio = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "audio.so"))
audio.loudness.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
audio.loudness.restype = ctypes.c_double


class Recording:
    def __init__(self, samples):
        self.samples = samples

    def loudness(self):
        address, count = self.samples.buffer_info()
        return audio.loudness(address, count * self.samples.itemsize)


def normalise(recordings, wanted):
    return [wanted / (recording.loudness() or 1) for recording in recordings]


def publish(recordings):
    print(normalise(recordings, 0.7))


def main():
    publish([Recording(array("i", bytes(60_000_000)))])


main()
