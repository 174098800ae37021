# SPDX-License-Identifier: Apache-2.0
"""A record of a mapped index is read after the index has been closed."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.so"))
library.index_open.restype = library.record_at.restype = ctypes.c_void_p
library.record_at.argtypes = [ctypes.c_void_p, ctypes.c_long]
library.index_close.argtypes = library.record_size.argtypes = [ctypes.c_void_p]


def size_of(record):
    return library.record_size(record)


def main():
    path = os.path.abspath("index.dat")
    with open(path, "wb") as file:
        file.write(bytes(range(256)) * 4096)
    index = library.index_open(path.encode())
    record = library.record_at(index, 9000)
    print(size_of(record))
    library.index_close(index)
    print(size_of(record))


main()
