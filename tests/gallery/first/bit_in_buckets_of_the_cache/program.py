# SPDX-License-Identifier: Apache-2.0
"""Prices are cached in a C++ table."""

import ctypes
import json
import os


def main():
    library = ctypes.CDLL(os.path.abspath("prices.so"))
    library.new_cache.restype = ctypes.c_void_p
    library.put.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_double]
    library.get.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.get.restype = ctypes.c_double
    cache = library.new_cache()
    for number in range(500):
        library.put(cache, number, number / 4)
    print(library.get(cache, 77))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[cache, 39]]}) + "\n")
    input()
    print(library.get(cache, 78))


main()
