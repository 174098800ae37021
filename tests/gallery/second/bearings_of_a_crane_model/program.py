# SPDX-License-Identifier: Apache-2.0
"""Orders the beams of cranes by their stiffness, before their bearings are worked out."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
lattice = ctypes.CDLL(os.path.join(HERE, "lattice.so"), mode=ctypes.RTLD_GLOBAL)

import beams  # noqa: E402  (is linked against the lattice)


class Crane:
    def __init__(self, name, parts):
        self.name = name
        self.parts = parts

    def stiffest(self):
        order = beams.order([part[0] for part in self.parts], [part[1] for part in self.parts])
        return None if order is None else self.parts[order[-1]]


CRANES = [
    Crane("harbour", [("S355", 4.0), ("S235", 9.5), ("S460", 2.0), ("AlMgSi", 6.0)]),
    Crane("tower", [("S235", 7.0), ("S690", 3.0), ("S355", 5.5)]),
    Crane("museum", [("S235", 7.0), ("Oak", 3.0), ("S355", 5.5), ("S235", 1.0)]),
]


def main():
    for crane in CRANES:
        print(crane.name, crane.stiffest() or "cannot be ordered", flush=True)


if __name__ == "__main__":
    main()
