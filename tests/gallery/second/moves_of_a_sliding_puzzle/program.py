# SPDX-License-Identifier: Apache-2.0
"""A sliding puzzle is played by a walker who remembers the way that it came."""

import random

MOVES = {"left": -1, "right": 1, "up": -4, "down": 4}


class Board:
    def __init__(self):
        self.tiles = list(range(16))
        self.gap = 15

    def allowed(self):
        for move, step in MOVES.items():
            target = self.gap + step
            if not 0 <= target < 16:
                continue
            if abs(step) == 4 or target // 4 == self.gap // 4:
                yield move

    def slide(self, move):
        target = self.gap + MOVES[move]
        self.tiles[self.gap], self.tiles[target] = self.tiles[target], self.tiles[self.gap]
        self.gap = target


def wander(board, steps, chance):
    way = ()
    for _ in range(steps):
        move = chance.choice(list(board.allowed()))
        board.slide(move)
        way = (way, move)
    return way


def main():
    chance = random.Random(15)
    ways = set()
    for steps in (10, 1000, 300_000):
        way = wander(Board(), steps, chance)
        if way not in ways:
            ways.add(way)
            print(steps, "steps, a new way", flush=True)


main()
