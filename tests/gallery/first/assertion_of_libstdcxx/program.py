# SPDX-License-Identifier: Apache-2.0
"""A hardened build checks vector::operator[]; the index is one too large and libstdc++ aborts
with its own assertion.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("prices.so"))


def closing(count):
    return library.last_price(count)


print(closing(4))
