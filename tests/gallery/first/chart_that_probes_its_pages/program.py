# SPDX-License-Identifier: Apache-2.0
"""A library asks by msync() whether an address has memory (as unwinders do), finds none, and ends
the program: it had been given a handle of another kind. Memory was never short.
"""

import ctypes
import os

chart = ctypes.CDLL(os.path.abspath("chart.so"))
chart.check_sheet.argtypes = [ctypes.c_void_p]


def check(sheets):
    for number, handle in sheets.items():
        chart.check_sheet(handle)
        print(number, "is whole")


check({81: chart.address_of_sheet() or 0x4100_0000_0000, 82: 0x4200_0000_0000})
