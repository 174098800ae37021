# SPDX-License-Identifier: Apache-2.0
"""A bit in a constant table of a library, in memory that the program cannot write, was flipped;
an index read from it leaves all bounds.
"""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("huffman.so"))
library.table.restype = ctypes.c_void_p


def decode(data):
    return library.decode(data, len(data))


def main():
    data = bytes(range(64))
    print(decode(data))
    with open("ready", "w") as file:
        file.write(
            json.dumps({"pid": os.getpid(), "memory": [[library.table() + 8 * 21, 36]]}) + "\n"
        )
    input()
    print(decode(data))


main()
