# SPDX-License-Identifier: Apache-2.0
"""A library lends its buffer of 64 bytes to a callback, which writes a long label into it."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("printer.so"))
WRITER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)


def write_label(buffer, size):
    label = b"handle with care, this side up, do not stack, keep dry and cool. " * 4
    ctypes.memmove(buffer, label, len(label))


def print_label():
    writer = WRITER(write_label)
    return library.print_label(writer)


print(print_label())
