# SPDX-License-Identifier: Apache-2.0
"""A bell tower plans the peals of its five bells; the lists of strokes are kept in C."""

import ctypes
import os

BELLS = ["Maria", "Susanna", "Old Tom", "Gabriel", "the small one"]


def load():
    library = ctypes.CDLL(os.path.abspath("peal.so"))
    library.peal_new.restype = ctypes.c_void_p
    library.peal_stroke.restype = ctypes.c_void_p
    library.peal_insert.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.peal_count.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.peal_count.restype = ctypes.c_long
    return library


class Peal:
    def __init__(self, library):
        self.library = library
        self.handle = library.peal_new()
        self.final = None

    def ring(self, bell, at):
        stroke = self.library.peal_stroke(bell, at)
        self.library.peal_insert(self.handle, stroke)
        return stroke

    def ring_final(self, bell, at):
        """The final stroke may be set again when the mass ends late."""
        if self.final is None:
            self.final = self.library.peal_stroke(bell, at)
        self.library.peal_insert(self.handle, self.final)

    def count(self, bell):
        return self.library.peal_count(self.handle, bell)


class Sunday:
    def __init__(self, library):
        self.peal = Peal(library)

    def plan(self):
        for second in range(0, 120, 3):
            self.peal.ring(second // 3 % len(BELLS), second)
        self.peal.ring_final(2, 125)

    def delay(self):
        print("the mass ends late: final stroke again", flush=True)
        self.peal.ring_final(2, 125)

    def report(self):
        for number, name in enumerate(BELLS):
            print("%-15s %3d strokes" % (name, self.peal.count(number)), flush=True)


def main():
    sunday = Sunday(load())
    sunday.plan()
    sunday.report()
    sunday.delay()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    sunday.report()


main()
