# SPDX-License-Identifier: Apache-2.0
"""cffi memory lives as long as its owner; the inner struct's owner was a temporary, and C
follows a pointer in freed memory.
"""

import os

import cffi

ffi = cffi.FFI()
ffi.cdef("typedef struct inner { struct inner *next; long weight; char text[48]; } inner;")
ffi.cdef("long weight_of(inner *);")
library = ffi.dlopen(os.path.abspath("tree.so"))


def build(depth):
    head = ffi.new("inner *")
    head.next = ffi.new("inner *")
    head.next.next = ffi.NULL
    return head


def weigh(head):
    return library.weight_of(head)


heads = [build(2) for _ in range(50)]
noise = [ffi.new("char[]", b"\x91" * 63) for _ in range(200)]
print(sum(weigh(head) for head in heads), len(noise))
