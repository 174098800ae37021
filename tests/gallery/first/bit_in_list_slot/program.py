# SPDX-License-Identifier: Apache-2.0
"""A bit of a pointer in a list was flipped from outside while the program waited; reading the
list meets no object there.
"""

import json
import os


class Reading:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def total(readings):
    return sum(reading.value for reading in readings)


def main():
    import ctypes

    readings = [Reading(n) for n in range(500)]
    items = ctypes.c_void_p.from_address(id(readings) + 24).value
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[items + 8 * 77, 41]]}) + "\n")
    input()
    print(total(readings))


main()
