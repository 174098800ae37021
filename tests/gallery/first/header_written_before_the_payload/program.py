# SPDX-License-Identifier: Apache-2.0
"""Payloads are framed in place before they are sent."""

import array
import ctypes
import os


def payloads(count):
    made = []
    for number in range(count):
        made.append(((number, number + 1), array.array("q", [number] * 7), [number]))
    return made


def frame(library, payload):
    start, length = payload.buffer_info()
    library.frame(ctypes.c_void_p(start), ctypes.c_long(length * payload.itemsize))


def checks(some):
    return sum(key[0] + len(key) + payload[-1] + rows[0] for key, payload, rows in some)


def main():
    library = ctypes.CDLL(os.path.abspath("frame.so"))
    some = payloads(200)
    print(checks(some))
    for _key, payload, _rows in some[40:120]:
        frame(library, payload)
    print(checks(some))
    some.clear()


main()
