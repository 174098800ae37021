# SPDX-License-Identifier: Apache-2.0
"""Scores are published on a board in shared memory that nobody gave a size."""

import ctypes
import os

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "board.so"))
native.board_open.argtypes = [ctypes.c_char_p]
native.board_publish.argtypes = [ctypes.c_int, ctypes.c_uint]


def attach():
    if native.board_open(b"/scores-%d" % os.getpid()) < 0:
        raise OSError("no board")


def publish(scores):
    for player, score in scores.items():
        native.board_publish(player, score)


def play(rounds):
    attach()
    for number in range(rounds):
        publish({7: number * 10, 11: number * 3})


play(5)
