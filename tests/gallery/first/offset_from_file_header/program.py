# SPDX-License-Identifier: Apache-2.0
"""A header's offset is trusted: the table that it points to lies far outside of the buffer."""

import ctypes
import os
import struct

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "font.so"))
library.glyphs.argtypes = [ctypes.c_char_p]


def count_glyphs(buffer):
    return library.glyphs(buffer)


def main():
    good = struct.pack("<IIQ", 0x00010000, 1, 16) + struct.pack("<H", 42) + bytes(300)
    print(count_glyphs(good))
    bad = struct.pack("<IIQ", 0x00010000, 1, 0x5F3759DF2B7E1516) + bytes(300)
    print(count_glyphs(bad))


main()
