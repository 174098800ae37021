# SPDX-License-Identifier: Apache-2.0
"""A C++ function returns early and destroys a std::thread that was neither joined nor detached:
std::terminate without an exception.
"""

import ctypes
import os


def upload(library, sizes):
    return [library.upload_file(size, 1 - size) for size in sizes]


def main():
    library = ctypes.CDLL(os.path.abspath("uploader.so"))
    print(upload(library, [0, 1, 30]))


main()
