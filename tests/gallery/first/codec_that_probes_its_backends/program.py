# SPDX-License-Identifier: Apache-2.0
"""A transcoding worker loads its codec library, which looks for accelerated backends by itself."""

import ctypes
import os


def load_codec(path):
    library = ctypes.CDLL(os.path.abspath(path))
    library.codec_backends.restype = ctypes.c_int
    return library


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tell()
    codec = load_codec("codec.so")
    print("backends:", codec.codec_backends())


main()
