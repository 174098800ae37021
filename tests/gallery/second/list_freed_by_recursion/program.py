# SPDX-License-Identifier: Apache-2.0
"""A list of unique_ptr with two million nodes is destroyed; each destructor calls the next
one's, and the stack ends.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("history.so"))


def clear_history(count):
    return library.clear_history(count)


print(clear_history(100))
print(clear_history(2_000_000))
