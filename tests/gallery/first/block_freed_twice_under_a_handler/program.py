# SPDX-License-Identifier: Apache-2.0
"""A C library frees a block twice; a crash reporter's handler of SIGABRT raises it again."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reporter.so"))


def close_session():
    return library.close_session()


def main():
    library.install()
    print(close_session())


main()
