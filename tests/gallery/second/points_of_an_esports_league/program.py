# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import random
from array import array

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "points.so"))
lib.points_after.argtypes = [ctypes.c_int32, ctypes.c_void_p, ctypes.c_int]


class Player:
    def __init__(self, name, strength):
        self.name, self.strength, self.points = name, strength, 1000

    def play(self, rounds, chance):
        results = array("b", (1 if chance.random() < self.strength else -1 for _ in range(rounds)))
        self.points = lib.points_after(self.points, results.buffer_info()[0], len(results))


def season(players):
    chance = random.Random(11)
    for week in range(20):
        for player in players:
            player.play(8 + week, chance)
    return sorted(players, key=lambda player: -player.points)


for place, player in enumerate(season([Player("p%d" % n, 0.4 + n / 40) for n in range(24)]), 1):
    print(place, player.name, player.points)
