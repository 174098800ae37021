# SPDX-License-Identifier: Apache-2.0
"""Forms with their fields."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("form.so"))
library.form_new.restype = ctypes.c_void_p
library.form_drop.argtypes = [ctypes.c_void_p]


def drop(form):
    library.form_drop(form)


def main():
    drop(library.form_new(6))


main()
