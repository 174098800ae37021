# SPDX-License-Identifier: Apache-2.0
"""A buffer grows by realloc, which fails at a limit; nobody looks."""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("buffer.so"))
library.new_buffer.restype = ctypes.c_void_p
library.append.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
library.append.restype = ctypes.c_long


def collect(buffer, block):
    used = 0
    while used < 1 << 30:
        used = library.append(buffer, block, len(block))
    return used


def main():
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (90 << 20), size + (90 << 20)))
    print(collect(library.new_buffer(), bytes(1 << 18)))


main()
