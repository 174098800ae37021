# SPDX-License-Identifier: Apache-2.0
"""A widget is drawn after it was deleted."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "widgets.so"))
library.make.restype = ctypes.c_void_p
library.draw.argtypes = library.drop.argtypes = [ctypes.c_void_p]


def redraw(widget):
    return library.draw(widget)


def main():
    widgets = [library.make(n) for n in range(3)]
    print(redraw(widgets[1]))
    library.drop(widgets[0])
    library.drop(widgets[1])
    print(redraw(widgets[1]))


main()
