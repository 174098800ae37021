# SPDX-License-Identifier: Apache-2.0
"""A FILE of the C library is closed by two owners: fclose of a freed stream."""

import ctypes

libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.fclose.argtypes = [ctypes.c_void_p]


def close_report(stream):
    return libc.fclose(stream)


def main():
    stream = libc.fopen(b"report.txt", b"w")
    print(close_report(stream))
    print(close_report(stream))


main()
