# SPDX-License-Identifier: Apache-2.0
"""The board of a signal box, and the log handler that shows its state beside each line."""

import logging
import threading
import time

log = logging.getLogger("board")


class Board:
    def __init__(self, signals):
        self._state_lock = threading.Lock()
        self._state = dict.fromkeys(signals, "stop")

    def clear(self, signal):
        with self._state_lock:
            self._state[signal] = "clear"
            time.sleep(0.15)  # the arm moves
            log.warning("%s shows clear", signal)

    def snapshot(self):
        with self._state_lock:
            return dict(self._state)


class BoardHandler(logging.Handler):
    """Keeps each line with the state that the board had."""

    def __init__(self, board):
        super().__init__()
        self.board = board
        self.lines = []

    def emit(self, record):
        text = self.format(record)
        time.sleep(0.1)  # the old printer
        self.lines.append((text, self.board.snapshot()))
