# SPDX-License-Identifier: Apache-2.0
"""A solver for sliding puzzles keeps its paths as linked pairs: (move, path before)."""

import random
from collections import deque
from dataclasses import dataclass, field

MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass
class Board:
    width: int
    height: int
    walls: frozenset
    hole: tuple = (0, 0)

    def neighbours(self, place):
        for name, (dx, dy) in MOVES.items():
            x, y = place[0] + dx, place[1] + dy
            if 0 <= x < self.width and 0 <= y < self.height and (x, y) not in self.walls:
                yield name, (x, y)


@dataclass
class Statistics:
    expanded: int = 0
    longest: int = 0
    paths: set = field(default_factory=set)


class Solver:
    def __init__(self, board):
        self.board = board
        self.statistics = Statistics()

    def search(self):
        """Walk through the whole board; return the path to each place."""
        paths = {self.board.hole: ((), 0)}
        waiting = deque([self.board.hole])
        while waiting:
            place = waiting.popleft()
            path, length = paths[place]
            for name, following in self.board.neighbours(place):
                if following not in paths:
                    paths[following] = ((name, path), length + 1)
                    waiting.append(following)
            self.statistics.expanded += 1
        return paths

    def distinct(self, paths, every):
        """Two boards may share a path: count each once."""
        chosen = sorted(paths, key=lambda place: paths[place][1])[::every]
        for place in chosen:
            path, length = paths[place]
            self.statistics.longest = max(self.statistics.longest, length)
            self.statistics.paths.add(path)
        return len(self.statistics.paths)


def open_board(width, height, seed):
    source = random.Random(seed)
    places = ((source.randrange(1, width), source.randrange(height)) for _ in range(width))
    return Board(width, height, frozenset(places) - {(0, 0)})


def serpentine(width, height):
    """A board that is one long corridor."""
    walls = set()
    for y in range(1, height, 2):
        opening = width - 1 if y // 2 % 2 == 0 else 0
        walls |= {(x, y) for x in range(width) if x != opening}
    return Board(width, height, frozenset(walls))


def main():
    for name, board in (
        ("open", open_board(60, 60, 3)),
        ("small corridor", serpentine(40, 41)),
        ("large corridor", serpentine(700, 1001)),
    ):
        solver = Solver(board)
        paths = solver.search()
        print(name, len(paths), flush=True)
        print(name, solver.distinct(paths, len(paths) // 50), solver.statistics.longest, flush=True)


main()
