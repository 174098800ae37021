# SPDX-License-Identifier: Apache-2.0
"""An encoder writes a frame of the wrong size: beyond the end of its malloc block, over the
header of the next.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("codec.so"))
library.encode.restype = ctypes.c_void_p
library.encode.argtypes = [ctypes.c_int, ctypes.c_int]
library.release.argtypes = [ctypes.c_void_p]


def encode(width, height):
    return library.encode(width, height)


def main():
    frames = [encode(40, 50 + n) for n in range(30)]
    for frame in frames:
        library.release(frame)


main()
