# SPDX-License-Identifier: Apache-2.0
"""A C function reads an array of strings up to a NULL that was forgotten."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("tool.so"))
library.total_length.restype = ctypes.c_long


class Command(ctypes.Structure):
    """The words of a command, and until when it is to be done."""

    _fields_ = (("words", ctypes.c_char_p * 6), ("deadline", ctypes.c_ulong))


def command_size(words):
    command = Command((ctypes.c_char_p * 6)(*words), 1_700_000_000)
    return library.total_length(ctypes.byref(command))


def main():
    print(command_size([b"convert", b"-size", b"20x20", b"in.png", b"out.png"]))
    print(command_size([b"convert", b"-size", b"20x20", b"in.png", b"-strip", b"out.png"]))


main()
