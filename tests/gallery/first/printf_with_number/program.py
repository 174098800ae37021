# SPDX-License-Identifier: Apache-2.0
"""printf is told to print text (%s) and gets a number; the C library reads at that number."""

import ctypes

libc = ctypes.CDLL(None)


def log_order(number):
    target = ctypes.create_string_buffer(100)
    libc.snprintf(target, 100, b"order %s of %s\n", ctypes.c_long(number), b"today")
    return target.value


print(log_order(77001))
