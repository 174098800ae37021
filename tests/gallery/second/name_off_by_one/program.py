# SPDX-License-Identifier: Apache-2.0
"""sprintf writes one name of exactly the block's size plus its final zero, and the next block's
size field with it; glibc aborts at the next free.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("label.so"))
library.make_label.restype = ctypes.c_void_p
library.drop_label.argtypes = [ctypes.c_void_p]


def labels(names):
    return [library.make_label(name) for name in names]


def main():
    made = labels([b"x" * 1304] * 12)
    for one in made:
        library.drop_label(one)
    library.make_label(b"y" * 9000)
    library.make_label(b"y" * 90000)


main()
