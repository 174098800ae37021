# SPDX-License-Identifier: Apache-2.0
"""A C function changes its argument in place and is given a string constant of the library,
which lies in read-only memory.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("text.so"))
library.default_name.restype = ctypes.c_void_p
library.upper.argtypes = [ctypes.c_void_p]


def title():
    name = library.default_name()
    library.upper(name)
    return ctypes.string_at(name)


print(title())
