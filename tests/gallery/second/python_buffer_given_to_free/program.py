# SPDX-License-Identifier: Apache-2.0
"""The program frees a buffer of ctypes by the C library's free(): it is no block of its own, and
glibc aborts.
"""

import ctypes

libc = ctypes.CDLL(None)
libc.free.argtypes = [ctypes.c_void_p]


def release_buffer(buffer):
    libc.free(ctypes.addressof(buffer) + 8)


def main():
    buffer = ctypes.create_string_buffer(2000)
    release_buffer(buffer)


main()
