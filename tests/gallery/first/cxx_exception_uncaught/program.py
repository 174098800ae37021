# SPDX-License-Identifier: Apache-2.0
"""A C++ library throws std::out_of_range through a C function; nobody catches it and
std::terminate aborts.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("market.so"))


def quote(day):
    return library.price_at(day)


print(quote(2), quote(400))
