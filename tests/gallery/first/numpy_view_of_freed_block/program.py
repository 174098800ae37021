# SPDX-License-Identifier: Apache-2.0
"""An array made of a C library's memory outlives that memory."""

import ctypes
import os

import numpy

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "camera.so"))
library.grab.restype = ctypes.POINTER(ctypes.c_double)
library.grab.argtypes = [ctypes.c_long]
library.release.argtypes = [ctypes.c_void_p]

SIZE = 300_000


def mean(picture):
    return picture[1000:].sum()


def main():
    memory = library.grab(SIZE)
    picture = numpy.ctypeslib.as_array(memory, shape=(SIZE,))
    print(mean(picture))
    library.release(memory)
    print(mean(picture))


main()
