# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "bad_handle_argument", "arguments": ["argument"], "bench": true}
# corpus: {"name": "bad_handle_attribute", "arguments": ["attribute"], "bench": true}
# corpus: {"name": "bad_handle_pointer", "arguments": ["pointer"], "bench": true}
# corpus: {"name": "bad_handle_cast", "arguments": ["cast"], "bench": true}
# corpus: {"name": "bad_handle_base", "arguments": ["base"], "bench": true}
# corpus: {"name": "bad_handle_null", "arguments": ["null"], "bench": true}
# corpus: {"name": "flipped_structure_own", "arguments": ["own"], "bench": true}
# corpus: {"name": "flipped_structure_contents", "arguments": ["contents"], "bench": true}
"""Die in C by a bad address that Python code passed, in one way or another."""

import ctypes
import signal
import sys

import deathbed

BAD = 0x7F0000DEAD00
library = ctypes.PyDLL(None)
library.strlen.argtypes = [ctypes.c_void_p]
library.memchr.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]


def way(function, *arguments):
    return deathbed.Way("bad-handle", function, arguments, signal.SIGSEGV, True)


def native_price(handle):
    count, flag, nothing = 3, True, None
    deathbed.die(way(library.strlen, handle))


class Client:
    def __init__(self):
        self.handle = BAD

    def price(self):
        deathbed.die(way(library.strlen, self.handle))


def by_pointer(pointer):
    deathbed.die(way(library.strlen, pointer))


def by_base(record):
    deathbed.die(way(library.strlen, record + 0x18))


class Rows(ctypes.Structure):
    _fields_ = [("items", ctypes.c_uint64 * 100)]


def flip_pointer(structure):
    ctypes.c_uint64.from_address(id(structure) + object.__basicsize__).value ^= 1 << 41


def read_item(rows):
    return rows.items[3]


def by_flipped_structure(rows):
    flip_pointer(rows)
    deathbed.die(way(read_item, rows))


def by_null(number):
    zero, small, offset = 0, 8, 0x18
    deathbed.die(way(library.strlen, offset))


if __name__ == "__main__":
    how = sys.argv[2]
    if how == "argument":
        native_price(BAD)
    elif how == "attribute":
        Client().price()
    elif how == "pointer":
        by_pointer(ctypes.c_void_p(BAD))
    elif how == "cast":
        by_pointer(ctypes.cast(BAD, ctypes.POINTER(ctypes.c_char)))
    elif how == "base":
        by_base(BAD)
    elif how == "own":
        by_flipped_structure(Rows())
    elif how == "contents":
        by_flipped_structure(ctypes.pointer(Rows()).contents)
    else:
        by_null(0x18)
