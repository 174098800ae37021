# SPDX-License-Identifier: Apache-2.0
"""Telegrams from a serial line."""

import ctypes
from pathlib import Path

_library = ctypes.CDLL(str(Path(__file__).with_name("framing.so").resolve()))
_library.framing_new.restype = ctypes.c_void_p
_library.framing_feed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
_library.framing_feed.restype = ctypes.c_uint32
_library.framing_next.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class Framing:
    def __init__(self):
        self._framing = _library.framing_new()
        self._room = ctypes.create_string_buffer(256)

    def feed(self, data):
        while data:
            data = data[_library.framing_feed(self._framing, data, len(data)) :]
            yield from self._telegrams()

    def _telegrams(self):
        while (kind := _library.framing_next(self._framing, self._room)) >= 0:
            yield kind, self._room.value
