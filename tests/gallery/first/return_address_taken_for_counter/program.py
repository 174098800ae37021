# SPDX-License-Identifier: Apache-2.0
"""A histogram in a C function's frame gets a bin that it does not have."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "histogram.so"))


def classify(first, last):
    return library.classify(first, last)


def main():
    print(classify(0, 4))
    print(classify(0, 14))


main()
