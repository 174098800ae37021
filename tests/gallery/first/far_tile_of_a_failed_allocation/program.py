# SPDX-License-Identifier: Apache-2.0
"""A game server with a memory limit builds larger and larger maps."""

import ctypes
import os
import resource

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiles.so"))
native.map_new.restype = ctypes.c_void_p
native.map_new.argtypes = [ctypes.c_long, ctypes.c_long]
native.map_hill.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]


def limit_memory(megabytes):
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def build_map(size):
    world = native.map_new(size, size)
    native.map_hill(world, size // 2, size // 2)
    return world


def open_worlds(sizes):
    return [build_map(size) for size in sizes]


def main():
    limit_memory(600)
    print(len(open_worlds([100, 1000, 3000, 14000])))


main()
