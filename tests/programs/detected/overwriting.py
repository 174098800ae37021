# SPDX-License-Identifier: Apache-2.0
"""Write where other data lie, by ctypes, and die of it; the file `wrote` says which bytes."""

import ctypes
import json
import struct
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
LIBC.free.argtypes = [ctypes.c_void_p]
ROOM, BEYOND = 112, 160  # bytes of a buffer, and of what is written behind it
ITEMS = 8  # of a tuple that fills a block as large


def rows(count):
    """Return tuples and buffers in blocks of one size, by turns."""
    return [
        ctypes.create_string_buffer(ROOM) if n % 3 == 0 else tuple(range(n, n + ITEMS))
        for n in range(count)
    ]


def numbers(first, size):
    """Return floating-point numbers in steps of a quarter."""
    return struct.pack(f"{size // 8}d", *[first + n / 4 for n in range(size // 8)])


def wrote(start, end):
    Path("wrote").write_text(json.dumps([start, end]))


def use(kept):
    return sum(sum(each) for each in kept if isinstance(each, tuple))


def overrun():
    """Numbers that end behind their buffer, over the tuples there."""
    kept = rows(3000)
    start = ctypes.addressof(kept[1500])
    size = ROOM + BEYOND
    wrote(start + ROOM, start + size)
    ctypes.memmove(
        start, struct.pack(f"{size // 8}d", *[n / 4 for n in range(80, 80 + size // 8)]), size
    )
    print(use(kept))


def before_start():
    """Numbers that begin before their buffer."""
    kept = rows(3000)
    start = ctypes.addressof(kept[1500]) - BEYOND
    wrote(start, start + BEYOND)
    ctypes.memmove(
        start, struct.pack(f"{BEYOND // 8}d", *[n / 4 for n in range(80, 80 + BEYOND // 8)]), BEYOND
    )
    print(use(kept))


def counted():
    """A counter in a struct that was freed: it is the type of a float now."""
    kept = [n / 4 for n in range(3000)]
    at = id(kept[1500]) + 8
    wrote(at, at + 8)
    ctypes.c_uint64.from_address(at).value += 1000
    print(sum(kept))


def after_free():
    """Blanks written to blocks after they were given back to malloc."""
    blocks = [LIBC.malloc(600 + 32 * (n % 40)) for n in range(400)]
    for block in blocks[::2]:
        LIBC.free(block)
    wrote(blocks[200], blocks[200] + 64)
    for block in blocks[160:240:2]:
        ctypes.memset(block, 0x20, 64)
    for n in range(400):
        LIBC.malloc(600 + 32 * (n % 40))


def given_back_too_often():
    """Tuples that a list still names after they were freed; buffers have their memory now."""
    kept = [tuple(range(n, n + ITEMS)) for n in range(3000)]
    for each in kept[1000:1200]:
        ctypes.c_ssize_t.from_address(id(each)).value -= 1
    del each
    freed = kept[1000:1200]
    for n in range(200):
        ctypes.c_ssize_t.from_address(id(freed[n])).value = 1
    del freed
    buffers = [ctypes.create_string_buffer(ROOM) for _ in range(400)]
    for number, buffer in enumerate(buffers):
        ctypes.memmove(
            buffer, struct.pack(f"{ROOM // 8}d", *[number + n / 4 for n in range(ROOM // 8)]), ROOM
        )
    print(use(kept), len(buffers))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
