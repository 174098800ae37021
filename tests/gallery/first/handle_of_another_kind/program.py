# SPDX-License-Identifier: Apache-2.0
"""The session's number, not its address, is given to a C function."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "session.so"))
library.user_of.argtypes = [ctypes.c_void_p]


class Session:
    def __init__(self, number):
        self.number = number


def user_of(session):
    return library.user_of(session.number)


def main():
    session = Session(0x2B7E151628AED2)
    print(user_of(session))


main()
