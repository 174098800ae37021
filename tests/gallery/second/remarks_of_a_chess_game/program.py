# SPDX-License-Identifier: Apache-2.0
"""A chess club keeps remarks beside the moves of its games, in a small library of its own."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
notes = ctypes.CDLL(os.path.join(HERE, "gamenotes.so"))
notes.note_new.restype = ctypes.c_void_p
notes.note_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
notes.note_text.argtypes = [ctypes.c_void_p]
notes.note_text.restype = ctypes.c_char_p

GAME = [
    ("e4", "usual"), ("c5", "Sicilian"), ("Nf3", ""), ("d6", "solid"), ("d4", "opens"),
    ("cxd4", ""), ("Nxd4", "centre"), ("Nf6", "attacks e4"), ("Nc3", "defends"),
    ("a6", "the Najdorf, which the trainer dislikes in games of juniors"),
]  # fmt: skip


def annotate(game):
    remarks = []
    for move, remark in game:
        note = notes.note_new()
        notes.note_add(note, move.encode())
        if remark:
            notes.note_add(note, b": ")
            notes.note_add(note, remark.encode())
        remarks.append(note)
    return remarks


def main():
    for note in annotate(GAME):
        print(notes.note_text(note).decode(), flush=True)


main()
