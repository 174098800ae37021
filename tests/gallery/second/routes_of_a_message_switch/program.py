# SPDX-License-Identifier: Apache-2.0
"""Sends messages over the named routes of a switch that is written in C."""

import ctypes
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
lib = ctypes.CDLL(os.path.join(here, "switchboard.so"))
lib.switch_open.restype = None
lib.switch_add.argtypes = [ctypes.c_char_p, ctypes.c_int]
lib.switch_add.restype = ctypes.c_void_p
lib.switch_send.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32]
lib.switch_send.restype = ctypes.c_uint32

NAMES = ["berne", "geneva", "zurich", "basel", "lugano", "chur", "sion", "thun"]


def send_all(lines):
    seed = 1
    for number, line in enumerate(lines):
        name = NAMES[number % len(NAMES)].encode()
        seed = lib.switch_send(name, line.encode(), seed)
    return seed


def main():
    lib.switch_open(64)
    places = {name: lib.switch_add(name.encode(), number % 2) for number, name in enumerate(NAMES)}
    lines = ["message %d" % number for number in range(4000)]
    print(send_all(lines))
    with open("ready", "w") as file:
        json.dump({"pid": os.getpid(), "memory": [[places["chur"] + 16 + 3, 5]]}, file)
        file.write("\n")
    sys.stdin.readline()
    print(send_all(lines))


main()
