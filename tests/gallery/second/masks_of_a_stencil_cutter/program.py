# SPDX-License-Identifier: Apache-2.0
"""Cuts stencils of letters: a mask of cells for each, and the strokes of the plotter."""

import ctypes
from array import array
from pathlib import Path

stencil = ctypes.CDLL(str(Path(__file__).with_name("stencil.so")))
stencil.stencil_clear.argtypes = [ctypes.c_void_p, ctypes.c_int]
stencil.stencil_cut.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int]

WIDTH, HEIGHT = 12, 8


class Letter:
    def __init__(self, character):
        self.character = character
        self.mask = array("B", [255] * (WIDTH * HEIGHT))
        self.strokes = [f"{character}{row} ".encode().ljust(63, b".") for row in range(HEIGHT)]

    def cut(self):
        address, cells = self.mask.buffer_info()
        stencil.stencil_clear(address, cells)
        for row in range(HEIGHT):
            start = row * WIDTH + (ord(self.character) + row) % 5
            stencil.stencil_cut(address, cells, start, start + 4)
        return sum(self.mask)


def main():
    letters = [Letter(character) for character in "HARBOUR MASTER"]
    cells = sum(letter.cut() for letter in letters)
    plot = b"\n".join(stroke for letter in letters for stroke in letter.strokes)
    print(cells, len(plot))


if __name__ == "__main__":
    main()
