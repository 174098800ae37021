# SPDX-License-Identifier: Apache-2.0
"""A game server whose compiled engine comes with its own reporter of crashes."""

import ctypes
import os

engine = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine.so"))
engine.player_enter.restype = ctypes.c_void_p
engine.player_enter.argtypes = [ctypes.c_char_p]
engine.player_equip.argtypes = [ctypes.c_void_p, ctypes.c_int]
engine.player_strike.argtypes = [ctypes.c_void_p, ctypes.c_void_p]


class Arena:
    def __init__(self, names):
        self.players = [engine.player_enter(name.encode()) for name in names]

    def equip(self, count):
        for number in range(count):
            engine.player_equip(self.players[number], 5 + number)

    def round(self):
        around = self.players[1:] + self.players[:1]
        return sum(engine.player_strike(one, other) for one, other in zip(self.players, around))


def main():
    engine.reporter_install(b"crash-report.txt")
    arena = Arena(["ann", "ben", "cleo", "dora"])
    arena.equip(4)
    print(arena.round(), flush=True)
    arena = Arena(["emil", "fritz", "gina"])
    arena.equip(2)
    print(arena.round(), flush=True)


main()
