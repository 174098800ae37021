# SPDX-License-Identifier: Apache-2.0
"""A service whose codec is updated while it runs."""

import ctypes
import os
import shutil

shutil.copy("release_codec.so", "codec.so")
library = ctypes.CDLL(os.path.abspath("codec.so"))


def serve(count):
    return sum(library.codec_value(n) for n in range(count))


def update():
    with open("newer_codec.so", "rb") as newer, open("codec.so", "r+b") as file:
        file.truncate(0)
        file.write(newer.read())


def main():
    print(serve(10), flush=True)
    update()
    print(serve(10))


main()
