# SPDX-License-Identifier: Apache-2.0
"""A weaving mill plans its looms: tensions are set thread by thread, then the yarn is ordered."""

import ctypes
import os

import patterns

library = ctypes.CDLL(os.path.abspath("loom.so"))
library.new_loom.restype = ctypes.c_void_p
library.set_tension.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * 3 + [ctypes.c_uint32]
library.yarn_of.restype = ctypes.c_long
library.yarn_of.argtypes = [ctypes.c_void_p, ctypes.c_int]
library.free_loom.argtypes = [ctypes.c_void_p]


class Loom:
    def __init__(self, name, beams):
        self.name, self.beams = name, beams
        self.handle = library.new_loom(beams)

    def prepare(self, pattern):
        """Set the tensions that a pattern asks for."""
        for beam in range(self.beams):
            for first, last, tension in patterns.runs(pattern, beam):
                library.set_tension(self.handle, beam, first, last, tension)

    def order(self):
        return {beam: library.yarn_of(self.handle, beam) for beam in range(self.beams)}

    def close(self):
        library.free_loom(self.handle)
        self.handle = None


def plan(name, beams, pattern):
    loom = Loom(name, beams)
    try:
        loom.prepare(pattern)
        return loom.order()
    finally:
        loom.close()


def main():
    print("tea towels", plan("narrow", 3, "plain"), flush=True)
    print("sheets", plan("wide", 4, "twill"), flush=True)
    print("altar cloth", plan("wide", 4, "bordered"), flush=True)
    print("all planned", flush=True)


if __name__ == "__main__":
    main()
