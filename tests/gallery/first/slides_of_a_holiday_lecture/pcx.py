# SPDX-License-Identifier: Apache-2.0
"""Packed pictures: reading their header and rows with the native decoder."""

import ctypes
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
codec = ctypes.CDLL(os.path.join(HERE, "slides_of_a_holiday_lecture.so"))
codec.picture_open.restype = ctypes.c_void_p
codec.picture_open.argtypes = [ctypes.c_void_p, *[ctypes.c_int] * 3, ctypes.c_char_p]
codec.arena_new.restype = ctypes.c_void_p
codec.arena_new.argtypes = [ctypes.c_size_t]
codec.picture_set_colour.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32]
codec.picture_unpack_row.restype = ctypes.c_long
codec.picture_unpack_row.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]
codec.picture_render.restype = ctypes.c_uint64
codec.picture_render.argtypes = [ctypes.c_void_p]

HEADER = struct.Struct("<4sHHH")


class Picture:
    def __init__(self, arena, name, data):
        self.name = name
        magic, self.width, self.height, stride = HEADER.unpack_from(data)
        if magic != b"\x0aRLE":
            raise ValueError(f"{name} is no packed picture")
        self.handle = codec.picture_open(
            arena, self.width, self.height, stride, name.encode()
        )  # fmt: skip
        for index in range(256):
            codec.picture_set_colour(self.handle, index, index)
        self.packed = data[HEADER.size :]

    def unpack(self):
        position = 0
        for _ in range(self.height):
            rest = self.packed[position:]
            position += codec.picture_unpack_row(self.handle, rest, len(rest))
        return position

    def brightness(self):
        return codec.picture_render(self.handle) // self.width


class Album:
    """Pictures that are opened, unpacked and shown together."""

    def __init__(self, size=1 << 16):
        self.arena = codec.arena_new(size)
        self.pictures = []

    def add(self, name, data):
        self.pictures.append(Picture(self.arena, name, data))

    def unpack(self):
        return [picture.unpack() for picture in self.pictures]


def pack(width, height, stride, shade):
    row = b""
    left = stride
    while left:
        run = min(left, 63)
        row += bytes((0xC0 | run, shade))
        left -= run
    return HEADER.pack(b"\x0aRLE", width, height, stride) + row * height
