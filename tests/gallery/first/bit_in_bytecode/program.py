# SPDX-License-Identifier: Apache-2.0
"""A bit of a function's bytecode was flipped from outside: another constant index, far beyond
the tuple.
"""

import ctypes
import json
import os


def scale(value):
    return value * 77.25 + 1000003


def main():
    code = scale.__code__
    raw = code.co_code
    body = ctypes.string_at(id(code), 600)
    if raw[:6] in body:
        start = id(code) + body.index(raw[:6])
    else:
        start = id(raw) + 32
    import dis

    at = next(n for n in range(0, len(raw), 2) if dis.opname[raw[n]] == "LOAD_CONST")
    items = id(code.co_consts) + tuple.__basicsize__

    def is_no_object(bit):  # what stands there differs from build to build
        item = items + 8 * (raw[at + 1] ^ 1 << bit)
        return ctypes.c_size_t.from_address(item).value < 1 << 20

    bit = next(filter(is_no_object, (7, 6, 5)), 7)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[start + at + 1, bit]]}) + "\n")
    input()
    print(scale(3))


main()
