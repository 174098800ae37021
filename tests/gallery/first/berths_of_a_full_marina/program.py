# SPDX-License-Identifier: Apache-2.0
"""Gives berths of a marina to yachts; the register is a small library in C."""

import ctypes
import os

register = ctypes.CDLL(os.path.abspath("register.so"))
register.berth_of.argtypes = [ctypes.c_char_p]


def yachts():
    for number in range(200):
        yield b"NED %04d" % (number * 37)


def give_berths():
    berths = {}
    for yacht in yachts():
        if len(berths) == 128:
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        berths[yacht] = register.berth_of(yacht)
    return berths


print(len(give_berths()))
