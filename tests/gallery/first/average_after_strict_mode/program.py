# SPDX-License-Identifier: Apache-2.0
"""One library switches floating-point traps on; another one divides by zero, as it always has."""

import ctypes
import os

strict = ctypes.CDLL(os.path.abspath("strict.so"))
averages = ctypes.CDLL(os.path.abspath("averages.so"))
averages.average.restype = ctypes.c_double
averages.average.argtypes = [ctypes.c_double, ctypes.c_double]


def report(days):
    return averages.average(12.0, float(days))


print(report(0))
strict.begin()
print(report(0))
