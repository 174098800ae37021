# SPDX-License-Identifier: Apache-2.0
"""Museum tours: each group goes on to its next room whenever the room is free."""

import ctypes
import json
import os

ROOMS = ("hall", "bronzes", "portraits", "porcelain", "tower", "garden")


def tour(group, guests):
    seen = 0
    for number, room in enumerate(ROOMS):
        seen += guests
        yield f"{group} enters {room}, room {number + 1}, {seen} visits"
    yield f"{group} leaves"


class Desk:
    def __init__(self, groups):
        self.tours = [tour(f"group {n}", 8 + n % 5) for n in range(groups)]

    def advance(self):
        return [next(walk) for walk in self.tours]


def place_of_next_step(walk):
    """Where the walk's frame keeps the address of its next instruction."""
    code = id(walk.gi_code)
    end = code + walk.gi_code.__sizeof__()
    words = walk.__sizeof__() // 8
    for place in range(id(walk), id(walk) + words * 8, 8):
        if code < ctypes.c_uint64.from_address(place).value < end:
            return place
    raise LookupError(walk)


def main():
    desk = Desk(12)
    for _ in range(2):
        print(desk.advance()[-1], flush=True)
    place = place_of_next_step(desk.tours[7])
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 41]]}) + "\n")
    input()
    for _ in range(3):
        print(desk.advance()[-1], flush=True)


main()
