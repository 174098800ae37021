# SPDX-License-Identifier: Apache-2.0
"""A C function and a Python callback call each other until the stack is full."""

import ctypes
import os
import sys

library = ctypes.CDLL(os.path.abspath("visitor.so"))
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
CHILD = {0: 1, 1: 2, 2: 3, 3: 1}


@CALLBACK
def on_node(node):
    return walk(CHILD[node])


def walk(node):
    return library.visit(node, on_node)


def main():
    sys.setrecursionlimit(1_000_000)
    print(walk(0))


main()
