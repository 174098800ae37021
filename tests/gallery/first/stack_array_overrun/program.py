# SPDX-License-Identifier: Apache-2.0
"""A loop copies 90 numbers into an array of 8 on the stack; the function returns to an address
made of data.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("median.so"))


def middle(values):
    data = (ctypes.c_long * len(values))(*values)
    return library.median(data, len(values))


print(middle([3, 1, 2]))
print(middle([0x4141414141 + n for n in range(90)]))
