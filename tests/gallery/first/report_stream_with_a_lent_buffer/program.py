# SPDX-License-Identifier: Apache-2.0
"""A batch job prints its long report through the C library, with a large buffer for speed."""

import ctypes

libc = ctypes.CDLL(None)
libc.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.puts.argtypes = [ctypes.c_char_p]
FULL = 0


def speed_up_output(size=1 << 20):
    """Give standard output a buffer of a megabyte."""
    stdout = ctypes.c_void_p.in_dll(libc, "stdout")
    buffer = ctypes.create_string_buffer(size)
    if libc.setvbuf(stdout, buffer, FULL, size):
        raise OSError("setvbuf")


def print_line(account, balance):
    libc.puts(b"%08d %12.2f" % (account, balance))


def report(accounts):
    for account in accounts:
        print_line(account, account * 1.17)


def main():
    speed_up_output()
    report(range(500))
    libc.fflush(None)


main()
