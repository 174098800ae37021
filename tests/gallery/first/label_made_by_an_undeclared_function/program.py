# SPDX-License-Identifier: Apache-2.0
"""Labels for jars."""

import ctypes
import os

maker = ctypes.CDLL(os.path.abspath("label_maker.so"), mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(os.path.abspath("labels.so"))
library.label_length.argtypes = [ctypes.c_char_p]


def length_of(name):
    return library.label_length(name.encode())


def main():
    print([length_of(name) for name in ("plum 1998", "quince")])


main()
