# SPDX-License-Identifier: Apache-2.0
"""A library was built for another processor: its kernel uses an instruction of AVX-512 4VNNIW,
which only one family of processors ever had.
"""

import ctypes
import os

speech = ctypes.CDLL(os.path.abspath("speech.so"))


def score(words):
    weights = (ctypes.c_int * 64)(*range(64))
    return speech.dot(weights, len(words))


print(score(["good", "morning"]))
