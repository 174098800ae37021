# SPDX-License-Identifier: Apache-2.0
"""A library turns a table of tides round with the direction flag set and forgets to clear the flag:
the sheet that it clears next is cleared backwards, over what lies before.
"""

import ctypes
import os

tides = ctypes.CDLL(os.path.abspath("tides.so"))
tides.sheet_of_year.restype = ctypes.c_void_p


def sheet(heights):
    table = (ctypes.c_int * len(heights))(*heights)
    other = (ctypes.c_int * len(heights))()
    return tides.sheet_of_year(table, other, len(heights))


print(sheet([412, 380, 299]))
