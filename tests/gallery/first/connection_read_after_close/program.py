# SPDX-License-Identifier: Apache-2.0
"""A handle of a closed connection is used after its block was given to somebody else."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "net.so"))
library.connect_to.restype = library.samples.restype = ctypes.c_void_p
library.hang_up.argtypes = library.ping.argtypes = [ctypes.c_void_p]
library.samples.argtypes = [ctypes.c_float]


def ping(handle):
    return library.ping(handle)


def main():
    handle = library.connect_to()
    print(ping(handle))
    library.hang_up(handle)
    kept = [library.samples(0.25 * n) for n in range(8)]
    print(len(kept), ping(handle))


main()
