# SPDX-License-Identifier: Apache-2.0
"""A planner adds up the minutes between the stops of a line."""

import ctypes
import json
import os


def planner():
    library = ctypes.CDLL(os.path.abspath("stops.so"))
    library.new_line.restype = ctypes.c_void_p
    library.minutes_of.argtypes = [ctypes.c_void_p]
    library.minutes_of.restype = ctypes.c_double
    library.add_stop.argtypes = [ctypes.c_void_p, ctypes.c_double]
    return library


def main():
    library = planner()
    line = library.new_line()
    for number in range(300):
        library.add_stop(line, 2.0 + number % 3)
    print(library.minutes_of(line))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[line + 16, 36]]}) + "\n")
    input()
    print(library.minutes_of(line))


main()
