# SPDX-License-Identifier: Apache-2.0
"""A C function fills a path buffer of 4096 bytes; the caller gave it 16."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("paths.so"))


def current_path():
    buffer = ctypes.create_string_buffer(700)
    library.fill(buffer)
    return buffer.value


def lookup(table, key):
    return table[key]


def main():
    tables = [{("k", n): [n]} for n in range(2000)]
    paths = [current_path() for _ in range(20)]
    again = [lookup(table, ("k", n)) for n, table in enumerate(tables)]
    more = [ctypes.create_string_buffer(700 + 16 * n) for n in range(200)]
    print(len(again), len(paths), len(more))


main()
