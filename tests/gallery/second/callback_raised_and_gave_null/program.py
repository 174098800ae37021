# SPDX-License-Identifier: Apache-2.0
"""A callback that is to give a buffer raises; its C caller writes to a null pointer."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("decoder.so"))
RESERVE = ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p))
library.decode_frame.restype = ctypes.c_long
library.decode_frame.argtypes = [RESERVE, ctypes.c_size_t, ctypes.c_size_t]
FREE = {64: ctypes.create_string_buffer(64)}


@RESERVE
def reserve(size, frame):
    frame[0] = ctypes.addressof(FREE[size])


def decode(width, height):
    return library.decode_frame(reserve, width, height)


def main():
    print(decode(8, 8))
    print(decode(16, 16))


main()
