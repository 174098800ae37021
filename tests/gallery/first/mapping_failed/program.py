# SPDX-License-Identifier: Apache-2.0
"""mmap fails because of the limit on address space; its result, all ones, is used as an address."""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("arena.so"))


def start_engine(size):
    return library.open_arena(size)


resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
print(start_engine(4))
print(start_engine(1024))
