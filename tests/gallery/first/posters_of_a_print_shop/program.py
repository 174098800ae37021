# SPDX-License-Identifier: Apache-2.0
"""Posters of a print shop are laid out on a canvas that a library keeps."""

import ctypes
import os
from dataclasses import dataclass


@dataclass
class Poster:
    name: str
    width: int
    height: int
    paper: int


class CanvasLibrary:
    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("poster_canvas.so"))
        self.library.canvas_new.restype = ctypes.c_void_p
        self.library.canvas_new.argtypes = [ctypes.c_uint, ctypes.c_uint]
        self.library.canvas_paint.argtypes = [ctypes.c_void_p, ctypes.c_uint]
        self.library.canvas_free.argtypes = [ctypes.c_void_p]

    def lay_out(self, poster):
        canvas = self.library.canvas_new(poster.width, poster.height)
        if not canvas:
            raise MemoryError(poster.name)
        self.library.canvas_paint(canvas, poster.paper)
        self.library.canvas_free(canvas)
        return poster.width * poster.height


def main():
    library = CanvasLibrary()
    posters = [
        Poster("spring fair", 800, 1200, 0xFFFFFFFF),
        Poster("ferry times", 2400, 3600, 0xFFF0F0E0),
        Poster("facade", 65536, 16400, 0xFFFFFFFF),
    ]
    for poster in posters:
        print(poster.name, library.lay_out(poster), flush=True)


main()
