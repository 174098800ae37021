# SPDX-License-Identifier: Apache-2.0
"""Packs files with the native compressor."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
native = ctypes.CDLL(os.path.join(HERE, "letters_packed_for_the_archive.so"))
native.packer_open.restype = ctypes.c_void_p
native.packer_feed.restype = ctypes.c_uint64
native.packer_feed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64]
native.packer_close.argtypes = [ctypes.c_void_p]


class PackingStream:
    def __init__(self, name):
        self.name = name
        self._packer = native.packer_open()
        self.symbols = 0

    def write(self, data):
        self.symbols = native.packer_feed(self._packer, data, len(data))

    def close(self):
        if self._packer is not None:
            native.packer_close(self._packer)
            self._packer = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
