# SPDX-License-Identifier: Apache-2.0
"""A bit of a C++ object's pointer to its virtual functions was flipped from outside."""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("shapes.so"))
library.add_shape.restype = ctypes.c_void_p
library.add_shape.argtypes = [ctypes.c_double, ctypes.c_double]
library.whole_area.restype = ctypes.c_double


def measure():
    return library.whole_area()


def main():
    shapes = [library.add_shape(2 + n % 3, 2 + n % 5) for n in range(60)]
    print(measure())
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[shapes[41], 36]]}) + "\n")
    input()
    print(measure())


main()
