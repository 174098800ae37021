"""Genealogical society: who is kin to whom in a valley, by union-find in C."""

import contextlib
import ctypes
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
library = ctypes.CDLL(os.path.join(HERE, "kinship.so"))
INT_P = ctypes.POINTER(ctypes.c_int)
library.kinship_open.argtypes = [ctypes.c_int]
library.kinship_open.restype = ctypes.c_void_p
library.kinship_child.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
library.kinship_related.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, INT_P]
library.kinship_close.argtypes = [ctypes.c_void_p]


class Register:
    def __init__(self, persons):
        self.persons = persons
        self.handle = library.kinship_open(persons)
        self.steps = ctypes.c_int()

    def child(self, parent, child):
        library.kinship_child(self.handle, parent, child)

    def related(self, one, other):
        return bool(library.kinship_related(self.handle, one, other, ctypes.byref(self.steps)))

    def close(self):
        library.kinship_close(self.handle)


def scattered(register, families):
    """People who moved in: each hangs below one of a few founders."""
    rng = random.Random(register.persons)
    for person in range(families, register.persons):
        register.child(rng.randrange(families), person)


def recorded_in_order(register):
    """One line that was written down father by father; the import kept the order."""
    child = register.child
    for person in range(1, register.persons):
        child(person - 1, person)


def examine(name, persons, fill, pairs):
    with contextlib.closing(Register(persons)) as register:
        fill(register)
        for one, other in pairs:
            answer = "kin" if register.related(one, other) else "not kin"
            print(f"{name}: {one} and {other} are {answer} ({register.steps.value})", flush=True)


def main():
    examine("town", 50_000, lambda r: scattered(r, 40), [(100, 49_000), (3, 9_000)])
    examine("hamlet", 2_000, recorded_in_order, [(3, 1_900)])
    examine("valley", 900_000, recorded_in_order, [(12, 899_999), (5, 400_000)])


main()
