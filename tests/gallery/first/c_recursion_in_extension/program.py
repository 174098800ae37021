# SPDX-License-Identifier: Apache-2.0
"""An extension walks a linked list by recursion; a list of a million nodes fills the stack of
the main thread.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("walk.so"))
library.build.restype = ctypes.c_void_p
library.depth_of.argtypes = [ctypes.c_void_p]


def measure(count):
    head = library.build(count)
    return library.depth_of(head)


print(measure(1_000_000))
