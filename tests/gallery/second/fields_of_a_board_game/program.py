# SPDX-License-Identifier: Apache-2.0
"""Loads the map of a board game from its packed form and plays a few rounds on it."""

import ctypes
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
packer = ctypes.CDLL(os.path.join(HERE, "unpack.so"))
packer.unpack_row.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]

WIDTH = 1000


class Player:
    def __init__(self, name):
        self.name = name
        self.moves = 0


class Row:
    def __init__(self, players):
        self.ground = bytearray(WIDTH)
        self.owners = [players[0]] * (WIDTH // 8)

    def load(self, packed):
        target = (ctypes.c_char * WIDTH).from_buffer(self.ground)
        packer.unpack_row(packed, len(packed), ctypes.addressof(target))


def packed_rows(chance, count):
    """Rows as the editor writes them: pairs of a length and a kind of ground."""
    for number in range(count):
        left, row = WIDTH, bytearray()
        while left > 0:
            run = min(left, chance.randrange(20, 200))
            row += bytes([run, chance.choice(b"~:^#")])
            left -= run
        if number == 211:
            row[-2] = min(255, row[-2] + 90)
        yield bytes(row)


def play(rows, players, chance, rounds):
    for number in range(rounds):
        player = players[number % len(players)]
        row = chance.choice(rows)
        field = chance.randrange(len(row.owners))
        row.owners[field].moves += 1
        row.owners[field] = player
        if number % 500 == 0:
            print("round", number, player.name, player.moves, flush=True)


def main():
    chance = random.Random(77)
    players = [Player(name) for name in ("Nobody", "Ada", "Blaise", "Carl")]
    rows = [Row(players) for _ in range(300)]
    for row, packed in zip(rows, packed_rows(chance, len(rows))):
        row.load(packed)
    play(rows, players, chance, 60000)


if __name__ == "__main__":
    main()
