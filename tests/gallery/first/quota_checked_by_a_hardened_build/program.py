# SPDX-License-Identifier: Apache-2.0
"""What is left of the quotas of users."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("quota_book.so"))
library.quota_left.argtypes = [ctypes.c_uint, ctypes.c_int]


def left(user, used):
    return library.quota_left(user, used)


def main():
    for user, used in [(0, 10), (3, 250), (9, 1)]:
        print(left(user, used), flush=True)


main()
