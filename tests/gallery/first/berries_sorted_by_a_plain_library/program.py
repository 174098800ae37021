# SPDX-License-Identifier: Apache-2.0
"""A C++ function throws in a callback of a C library that was built without unwind tables: the
catch outside of the library never sees it, and std::terminate() ends the program.
"""

import ctypes
import os

sorting = ctypes.CDLL(os.path.abspath("sorting.so"))
berries = ctypes.CDLL(os.path.abspath("berries.so"))


def heaviest(weights):
    baskets = (ctypes.c_long * len(weights))(*weights)
    return berries.heaviest(sorting.sort_all, baskets, len(weights))


print(heaviest([310, 290, -1, 335]))
