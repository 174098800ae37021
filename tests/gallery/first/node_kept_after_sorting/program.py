# SPDX-License-Identifier: Apache-2.0
"""A pointer to an element is kept while the vector grows."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nodes.so"))


def visit(count):
    return library.visit(count)


def main():
    print(visit(3))
    print(visit(200))


main()
