# SPDX-License-Identifier: Apache-2.0
"""A POINTER object is indexed far beyond what it points to; ctypes does not know the length."""

import ctypes


def sample_at(samples, number):
    return samples[number]


def main():
    data = (ctypes.c_int * 100)(*range(100))
    samples = ctypes.cast(data, ctypes.POINTER(ctypes.c_int))
    print(sample_at(samples, 50))
    print(sample_at(samples, 50 + (1 << 29)))


main()
