# SPDX-License-Identifier: Apache-2.0
"""The address of a temporary array's data is kept and used after the array is freed and its
mapping returned.
"""

import ctypes
import os

import numpy

library = ctypes.CDLL(os.path.abspath("total.so"))
library.total.argtypes = [ctypes.c_void_p, ctypes.c_long]


def prepare():
    return (numpy.arange(4_000_000) * 2.0).ctypes.data


def summed():
    return library.total(prepare(), 4_000_000)


print(summed())
