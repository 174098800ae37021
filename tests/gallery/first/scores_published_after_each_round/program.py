# SPDX-License-Identifier: Apache-2.0
"""Quiz server: three players answer in threads; after each round the scores are published."""

import os
import threading
import time

THINKS = {"visitor": 0.02, "walk-in": 0.1}


class Board:
    def __init__(self, players):
        self.lock = threading.Lock()
        self.scores = {}
        self.pages = []
        self.round_over = threading.Barrier(players, action=self.publish)

    def publish(self):
        with self.lock:
            self.pages.append(sorted(self.scores.items()))

    def note(self, player, points):
        with self.lock:
            self.scores[player] = self.scores.get(player, 0) + points

    def note_and_close(self, player, points):
        with self.lock:
            self.scores[player] = self.scores.get(player, 0) + points
            self.round_over.wait()


def play(board, player, host_ready):
    host_ready.wait()
    time.sleep(0.1 + THINKS[player])
    board.round_over.wait()


def host(board, host_ready):
    for player in ("host", *THINKS):
        board.note(player, 1)
    host_ready.set()
    board.note_and_close("host", 5)


def main():
    board, host_ready = Board(3), threading.Event()
    threads = [
        threading.Thread(target=host, args=(board, host_ready), name="host"),
        threading.Thread(target=play, args=(board, "visitor", host_ready), name="visitor"),
        threading.Thread(target=play, args=(board, "walk-in", host_ready), name="walk-in"),
    ]
    for thread in threads:
        thread.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in threads:
        thread.join()
    print(board.pages)


main()
