# SPDX-License-Identifier: Apache-2.0
"""A C function puts a work array of 64 MiB on a stack of 8 MiB; its first write lands far below
the stack, beyond the guard.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("smooth.so"))


def filter_image(width, height):
    return library.smooth(width, height)


print(filter_image(64, 64))
print(filter_image(4096, 4096))
