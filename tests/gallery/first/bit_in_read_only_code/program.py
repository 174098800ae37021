# SPDX-License-Identifier: Apache-2.0
"""A bit in the machine code of a library, which the program cannot write, was flipped; the
changed instruction crashes.
"""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.abspath("blend.so"))
library.blend.argtypes = [ctypes.c_void_p, ctypes.c_int]


def render(frame):
    return library.blend(frame, 4096)


def main():
    with open("/proc/self/coredump_filter", "w") as dumped:
        dumped.write("0x37")  # the code of files too
    frame = ctypes.create_string_buffer(4096 * 4)
    print(render(frame))
    code = ctypes.cast(library.blend, ctypes.c_void_p).value
    body = ctypes.string_at(code, 200)
    at = code + body.index(b"\x48\x89\xfa") + 2  # mov %rdi,%rdx becomes mov %rsi,%rdx
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[at, 3]]}) + "\n")
    input()
    print(render(frame))


main()
