# SPDX-License-Identifier: Apache-2.0
"""Map server: loads the palette of a style and darkens the colours that are too pale to print."""

import ctypes
import os

LIBRARY = ctypes.CDLL(os.path.abspath("palette.so"))
VISIT = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_uint)
STYLE = {0: 0x1F4E79, 1: 0x2E7D32, 2: 0xF7F3E8, 3: 0xB71C1C}


def brightness(rgb):
    red, green, blue = rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255
    return (299 * red + 587 * green + 114 * blue) // 1000


def darker(rgb):
    parts = (rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255)
    red, green, blue = (part * 3 // 4 for part in parts)
    return red << 16 | green << 8 | blue


@VISIT
def fit_for_print(index, rgb):
    if brightness(rgb) > 230:
        LIBRARY.palette_store(index, darker(rgb))


def load_style(style):
    for index, rgb in style.items():
        LIBRARY.palette_store(index, rgb)


def main():
    load_style(STYLE)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    LIBRARY.palette_each(fit_for_print)
    print("style is fit for print")


main()
