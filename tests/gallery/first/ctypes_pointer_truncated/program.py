# SPDX-License-Identifier: Apache-2.0
"""A C function returns a pointer, but restype was not set: ctypes takes it as int, and the upper
half is lost before it is passed on.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("record.so"))


def describe(number):
    record = library.find(number)
    return library.name_length(ctypes.c_void_p(record & 0xFFFFFFFF))


print(describe(3))
