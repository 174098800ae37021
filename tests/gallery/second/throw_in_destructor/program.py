# SPDX-License-Identifier: Apache-2.0
"""A destructor throws while its object leaves scope: std::terminate, since destructors are
noexcept.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("writer.so"))


def save_all(count):
    return library.save(count)


print(save_all(2))
