# SPDX-License-Identifier: Apache-2.0
"""A bit in the size field of a malloc block was flipped from outside; malloc notices at the next
free and aborts.
"""

import ctypes
import json
import os

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]


def recycle(blocks):
    for block in blocks:
        libc.free(block)


def main():
    blocks = [libc.malloc(2000 + 16 * n) for n in range(40)]
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[blocks[20] - 8, 33]]}) + "\n")
    input()
    recycle(blocks)
    print(libc.malloc(1 << 20))


main()
