# SPDX-License-Identifier: Apache-2.0
"""Code writes into a file that was mapped to be read."""

import ctypes
import mmap
import os

library = ctypes.CDLL(os.path.abspath("pricing.so"))
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]


def prices(path):
    with open(path, "w+b") as file:
        file.write(bytes(8192))
        file.flush()
        return libc.mmap(None, 8192, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)


def raise_price(start):
    return library.raise_price(ctypes.c_void_p(start), 3)


print(raise_price(prices("prices.bin")))
