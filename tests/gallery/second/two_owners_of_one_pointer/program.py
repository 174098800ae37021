# SPDX-License-Identifier: Apache-2.0
"""Two smart pointers of a C++ library own the same object; the second frees it again."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("sessions.so"))
library.drop.restype = ctypes.c_long


def close_session(number):
    return library.drop(number)


def main():
    for number in range(8):
        library.join(number)
    print(close_session(5))


main()
