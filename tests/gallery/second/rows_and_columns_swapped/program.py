# SPDX-License-Identifier: Apache-2.0
"""A native filter takes rows for columns and writes doubles beyond its image, over Python
objects of the heap.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("blur.so"))


def image(width, height):
    return (ctypes.c_double * (width * height))()


def after(rows):
    return sum(len(row["name"]) + row["x"] for row in rows)


def main():
    rows = []
    images = []
    for n in range(40):
        images.append(image(30, 4))
        rows += [{"name": "row%d" % k, "x": k, "y": str(k), "z": [k]} for k in range(10)]
    for one in images:
        library.blur(one, 4, 30)
    print(after(rows))
    del rows[::2]
    print([len(bytearray(n)) for n in range(900, 1100)][-1])


main()
