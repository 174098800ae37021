# SPDX-License-Identifier: Apache-2.0
"""A reference into a std::vector is kept while the vector grows; the old block was unmapped."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("queue.so"))


def accept_all(count):
    return library.enqueue(count)


print(accept_all(10))
print(accept_all(1_000_000))
