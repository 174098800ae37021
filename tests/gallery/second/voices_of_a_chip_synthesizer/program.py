# SPDX-License-Identifier: Apache-2.0
"""Mixes the voices of a small synthesizer, whose voices run as coroutines in C."""

import array
import ctypes
import math
import os

here = os.path.dirname(os.path.abspath(__file__))
lib = ctypes.CDLL(os.path.join(here, "voices.so"))
lib.voice_new.argtypes = [ctypes.c_double, ctypes.c_double]
lib.voice_new.restype = ctypes.c_void_p
lib.voice_next.argtypes = [ctypes.c_void_p]
lib.voice_next.restype = ctypes.c_double

RATE = 22050


def voice(note):
    step = 2 * math.pi * 440.0 * 2 ** ((note - 69) / 12) / RATE
    return lib.voice_new(step, step * 1.003)


def mix(notes, seconds):
    voices = [voice(note) for note in notes]
    samples = array.array("d")
    for _ in range(int(RATE * seconds)):
        samples.append(sum(lib.voice_next(each) for each in voices) / len(voices))
    return samples


print(len(mix([60, 64, 67, 72], 0.4)))
