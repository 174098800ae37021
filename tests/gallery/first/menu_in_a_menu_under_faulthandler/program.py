# SPDX-License-Identifier: Apache-2.0
"""The width of a menu that contains itself."""

import ctypes
import os


class Menu(ctypes.Structure):
    pass


Menu._fields_ = [("width", ctypes.c_int), ("inner", ctypes.POINTER(Menu))]
library = ctypes.CDLL(os.path.abspath("menus.so"))
library.menu_width.argtypes = [ctypes.POINTER(Menu)]


def width_of(menu):
    return library.menu_width(ctypes.byref(menu))


def main():
    inner = Menu(80)
    outer = Menu(120, ctypes.pointer(inner))
    print(width_of(outer), flush=True)
    inner.inner = ctypes.pointer(outer)
    print(width_of(outer))


main()
