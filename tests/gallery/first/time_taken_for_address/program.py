# SPDX-License-Identifier: Apache-2.0
"""Records are written packed and read unpacked."""

import ctypes
import os
import struct

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "records.so"))
library.first_word.argtypes = [ctypes.c_char_p]


def first_word(record):
    return library.first_word(record)


def main():
    text = ctypes.create_string_buffer(b"hello")
    record = struct.pack("<IIIQ", 4, 0x65F0A1B2, 38123456, ctypes.addressof(text)) + bytes(64)
    print(first_word(record))


main()
