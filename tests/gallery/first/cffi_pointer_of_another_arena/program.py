# SPDX-License-Identifier: Apache-2.0
"""An element of an array is looked up with a stride that belongs to another array."""

import cffi

ffi = cffi.FFI()
ffi.cdef("typedef struct { long id; long next; } node;")


def node_at(base, number, stride):
    return ffi.cast("node *", ffi.cast("char *", base) + number * stride).id


def main():
    nodes = ffi.new("node[]", 1000)
    nodes[500].id = 7
    print(node_at(nodes, 500, 16))
    print(node_at(nodes, 777777, 90001))


main()
