# SPDX-License-Identifier: Apache-2.0
"""A C function loads four floats at once from an address that must be a multiple of 16; it is given
one that is not, behind a header of four bytes.
"""

import ctypes
import os


def level(library, message):
    number = (len(message) - 4) // 4
    samples = (ctypes.c_float * number).from_buffer(message, 4)
    return library.mixer_level(samples, number)


def main():
    library = ctypes.CDLL(os.path.abspath("mixer.so"))
    library.mixer_level.restype = ctypes.c_float
    message = bytearray(4 + 4 * 1000)
    print(level(library, message))


main()
