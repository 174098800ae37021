# SPDX-License-Identifier: Apache-2.0
"""A panorama is put together strip by strip, in a job that may use 400 MB."""

import contextlib
import ctypes
import os
import resource


@contextlib.contextmanager
def memory_allowed(megabytes):
    old = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, old)


class Panorama:
    def __init__(self, width):
        name = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stitch.so")
        self.library = ctypes.CDLL(name)
        self.library.add_strip.restype = ctypes.c_size_t
        self.library.add_strip.argtypes = [ctypes.c_size_t, ctypes.c_int]
        self.width = width
        self.size = 0

    def add(self, rows, shade):
        self.size = self.library.add_strip(self.width * rows * 3, shade)


def main():
    with memory_allowed(400):
        panorama = Panorama(width=12000)
        for strip in range(40):
            panorama.add(rows=400, shade=90 + strip)
        print(panorama.size >> 20, "MB")


main()
