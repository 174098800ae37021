# SPDX-License-Identifier: Apache-2.0
"""A worker that resizes pictures locks itself up before it looks at them."""

import ctypes
import os
import platform

library = ctypes.CDLL(os.path.abspath("picture_jail.so"))


def resize(width, height, limit):
    while max(width, height) > limit:
        width, height = width // 2, height // 2
    return width, height


def label(size):
    return f"{size[0]}x{size[1]} by {os.uname().nodename}"


def main():
    if library.jail_enter() != 0:
        raise OSError("no jail")
    print(label(resize(4000, 3000, 800)))


main()
