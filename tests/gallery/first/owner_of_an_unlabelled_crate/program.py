# SPDX-License-Identifier: Apache-2.0
"""Owners of crates."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("crates.so"))
library.crate_owner.argtypes = [ctypes.c_char_p]


def owner(label):
    return library.crate_owner(label)


def main():
    for label in (b"fish / Olsen", b"salt / Moe", None):
        print(owner(label), flush=True)


main()
