# SPDX-License-Identifier: Apache-2.0
"""Listens to a market's ticks, which a native thread reads off the wire."""

import threading
import time

import market_tap


class Board:
    def __init__(self):
        self.last = {}
        self.ticks = 0

    def on_tick(self, instrument, cents):
        self.last[instrument] = cents
        self.ticks += 1


def heartbeat(board):
    while True:
        print("board", len(board.last), flush=True)
        time.sleep(0.2)


def main():
    board = Board()
    threading.Thread(target=heartbeat, args=(board,), name="heartbeat", daemon=True).start()
    market_tap.subscribe(board.on_tick)
    closing = threading.Event()
    closing.wait(20)
    print(board.ticks)


if __name__ == "__main__":
    main()
