# SPDX-License-Identifier: Apache-2.0
"""Give every surname of a club's members a number, by a small C library."""

import ctypes
import os

SURNAMES = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "surnames.so"))
SURNAMES.index_surname.argtypes = [ctypes.c_char_p]
SURNAMES.index_surname.restype = ctypes.c_int

BEGINNINGS = ["Ander", "Berg", "Clar", "Dahl", "Ek", "Fors", "Grön", "Holm", "Ivars", "Jans"]
ENDINGS = ["son", "man", "ström", "gren", "kvist", "lund", "berg", "dal", "ing", "qvist"]
MIDDLES = ["", "s", "en"]


def members():
    for middle in MIDDLES:
        for beginning in BEGINNINGS:
            for ending in ENDINGS:
                yield beginning + middle + ending


def number_members():
    numbers = {}
    for surname in members():
        numbers[surname] = SURNAMES.index_surname(surname.encode())
    return numbers


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(len(number_members()), "surnames")


main()
