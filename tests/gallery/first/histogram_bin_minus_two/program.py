# SPDX-License-Identifier: Apache-2.0
"""A C histogram counts values below its range in a bin of negative index, which is the size in
front of its own block; free() finds it.
"""

import ctypes
import os


def draw(library, values):
    array = (ctypes.c_double * len(values))(*values)
    bins = library.histogram_of(
        array, len(values), ctypes.c_double(-20.0), ctypes.c_double(5.0), 700
    )
    counts = [bins[n] for n in range(10)]
    library.histogram_free(bins)
    return counts


def main():
    library = ctypes.CDLL(os.path.abspath("histogram.so"))
    library.histogram_of.restype = ctypes.POINTER(ctypes.c_int)
    temperatures = [20.0 - n % 56 for n in range(4032)]
    print(draw(library, temperatures))


main()
