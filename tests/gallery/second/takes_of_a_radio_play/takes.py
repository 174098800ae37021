# SPDX-License-Identifier: Apache-2.0
"""Takes: sound files with a header, samples as 32-bit floats."""

import ctypes
import math
import struct
from pathlib import Path

_library = ctypes.CDLL(str(Path(__file__).with_name("mixer.so").resolve()))
_library.mixer_add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_float]
_library.mixer_add.restype = None


class Take:
    def __init__(self, data):
        self.data = data
        self.title_size, self.count = struct.unpack_from("<II", data, 8)
        self.samples = (ctypes.c_float * self.count).from_buffer(data, 16 + self.title_size)

    @classmethod
    def recorded(cls, title, count, pitch):
        sound = (0.4 * math.sin(n * pitch) for n in range(count))
        head = struct.pack("<8sII", b"TAKE0002", len(title), count)
        return cls(bytearray(head + title + struct.pack(f"<{count}f", *sound)))

    @property
    def title(self):
        return bytes(self.data[16 : 16 + self.title_size]).rstrip().decode()


class Mix:
    def __init__(self, count):
        self.data = bytearray(4 * count)
        self.samples = (ctypes.c_float * count).from_buffer(self.data)

    def add(self, take, gain):
        lanes = min(len(self.samples), take.count) // 4
        _library.mixer_add(
            ctypes.addressof(self.samples), ctypes.addressof(take.samples), lanes, gain
        )
