# SPDX-License-Identifier: Apache-2.0
"""Two engines play a match of Nim against each other, each in a thread that moves in its turn."""

import os
import threading

GAMES = 5000


class Match:
    def __init__(self):
        self.heaps = [7, 9, 11]
        self.games = 0
        self.moves = 0


class Engine(threading.Thread):
    def __init__(self, name, match, my_turn, other_turn):
        super().__init__(name=name)
        self.match, self.my_turn, self.other_turn = match, my_turn, other_turn

    def wins(self, heaps, depth):
        """Return whether who moves wins; by search, as if the theory were unknown."""
        if depth == 0 or not any(heaps):
            return False
        return any(not self.wins(after, depth - 1) for after in self.moves_from(heaps))

    def moves_from(self, heaps):
        for number, heap in enumerate(heaps):
            for left in range(heap):
                yield [*heaps[:number], left, *heaps[number + 1:]]  # fmt: skip

    def move(self):
        moves = list(self.moves_from(self.match.heaps))
        good = [after for after in moves if not self.wins(after, 2)]
        self.match.heaps = (good or moves)[0]
        self.match.moves += 1
        if not any(self.match.heaps):
            self.match.games += 1
            self.match.heaps = [7, 9, 11]

    def run(self):
        while self.match.games < GAMES:
            self.my_turn.acquire()
            self.move()
            self.other_turn.release()


def main():
    match = Match()
    white, black = threading.Semaphore(1), threading.Semaphore(0)
    engines = [Engine("white", match, white, black), Engine("black", match, black, white)]
    for each in engines:
        each.daemon = True
        each.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for each in engines:
        each.join()
    print(match.moves)


main()
