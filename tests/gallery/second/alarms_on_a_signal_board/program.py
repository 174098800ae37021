# SPDX-License-Identifier: Apache-2.0
"""A signal box: trains ask for their signals while the operators write the log."""

import logging
import os
import threading
import time

from board import Board, BoardHandler

log = logging.getLogger("box")


class Train(threading.Thread):
    def __init__(self, number, board, signals):
        super().__init__(name=f"train {number}")
        self.board, self.signals = board, signals

    def run(self):
        for signal in self.signals:
            time.sleep(0.05)
            self.board.clear(signal)


class Operator(threading.Thread):
    def __init__(self, name, remarks):
        super().__init__(name=name)
        self.remarks = remarks

    def run(self):
        for remark in self.remarks:
            log.info("%s: %s", self.name, remark)
            time.sleep(0.01)


class Clock(threading.Thread):
    def __init__(self):
        super().__init__(name="clock", daemon=True)
        self.minute = 0

    def run(self):
        while True:
            time.sleep(60)
            self.minute += 1


def main():
    board = Board(["A1", "A2", "B7", "N1"])
    logging.basicConfig(level=logging.INFO, handlers=[BoardHandler(board)])
    Clock().start()
    crew = [
        Train(4711, board, ["A1", "B7", "N1", "A2"]),
        Operator("Krueger", ["fog", "point 12 greased", "milk train late", "lamp N1 out"] * 4),
    ]
    for each in crew:
        each.start()
    crew[0].join(2.0)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for each in crew:
        each.join()


if __name__ == "__main__":
    main()
