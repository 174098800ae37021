# SPDX-License-Identifier: Apache-2.0
"""Frames of a camera come from a pool."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("frame_pool.so"))
library.pool_take.restype = ctypes.c_void_p
library.pool_release.argtypes = [ctypes.c_void_p]


def release(frames):
    for frame in frames:
        library.pool_release(frame)


def main():
    frames = [library.pool_take() for _ in range(4)]
    release(frames[:2])
    release(frames[1:])


main()
