# SPDX-License-Identifier: Apache-2.0
"""A C++ library starts threads until there is no room for another stack."""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("workers.so"))


def serve(threads):
    return library.start_workers(threads)


def main():
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (60 << 20), size + (60 << 20)))
    print(serve(2))
    print(serve(64))


main()
