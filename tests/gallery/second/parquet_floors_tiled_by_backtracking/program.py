"""A floor maker counts the ways to lay a room with the twelve wooden pentominoes."""

import os
import sys
import time

SHAPES = {
    "F": ((0, 1), (1, 0), (1, 1), (1, 2), (2, 0)),
    "I": ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0)),
    "L": ((0, 0), (1, 0), (2, 0), (3, 0), (3, 1)),
    "N": ((0, 1), (1, 1), (2, 0), (2, 1), (3, 0)),
    "P": ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0)),
    "T": ((0, 0), (0, 1), (0, 2), (1, 1), (2, 1)),
    "U": ((0, 0), (0, 2), (1, 0), (1, 1), (1, 2)),
    "V": ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2)),
    "W": ((0, 0), (1, 0), (1, 1), (2, 1), (2, 2)),
    "X": ((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)),
    "Y": ((0, 1), (1, 0), (1, 1), (2, 1), (3, 1)),
    "Z": ((0, 0), (0, 1), (1, 1), (2, 1), (2, 2)),
}


def normal(cells):
    top = min(r for r, _ in cells)
    left = min(c for _, c in cells)
    return tuple(sorted((r - top, c - left) for r, c in cells))


def orientations(cells):
    found = set()
    for _ in range(2):
        for _ in range(4):
            cells = [(c, -r) for r, c in cells]
            found.add(normal(cells))
        cells = [(r, -c) for r, c in cells]
    return found


class Room:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.places = {}
        for name, cells in SHAPES.items():
            for shape in orientations(cells):
                first = shape[0][1]
                self.places.setdefault(name, []).append([(r, c - first) for r, c in shape])
        self.tried = self.floors = 0
        self.told = time.monotonic()

    def report(self):
        self.told = time.monotonic()
        print(f"{self.tried} pieces laid, {self.floors} floors complete", flush=True)

    def lay(self, taken, left):
        if not left:
            self.floors += 1
            return
        cell = next(i for i in range(self.rows * self.columns) if not taken >> i & 1)
        row, column = divmod(cell, self.columns)
        for name in sorted(left):
            for shape in self.places[name]:
                mask = 0
                for r, c in shape:
                    y, x = row + r, column + c
                    if not (0 <= y < self.rows and 0 <= x < self.columns):
                        break
                    mask |= 1 << y * self.columns + x
                else:
                    if not mask & taken:
                        self.tried += 1
                        if time.monotonic() - self.told > 1:
                            self.report()
                        self.lay(taken | mask, left - {name})


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    room = Room(6, 10)
    room.lay(0, frozenset(SHAPES))
    print("floors:", room.floors)
    return 0


sys.exit(main())
