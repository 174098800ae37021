# SPDX-License-Identifier: Apache-2.0
"""Simulates a music box: a barrel with a cam for each note turns and plays a melody."""

import ctypes
from pathlib import Path

cams = ctypes.CDLL(str(Path(__file__).with_name("cams.so")))
cams.box_set_cam.argtypes = [ctypes.c_int, ctypes.c_double]
cams.box_turn.argtypes = [ctypes.POINTER(ctypes.c_int), ctypes.c_int]
cams.box_turn.restype = ctypes.c_double

SCALE = "c d e f g a b".split()
NOTES = [f"{name}{octave}" for octave in range(3, 6) for name in SCALE] + ["c6", "d6", "e6", "f6"]


class MusicBox:
    def __init__(self, melody):
        self.barrel = [NOTES.index(note) for note in melody.split()]

    def fit_cams(self):
        for number in range(len(NOTES)):
            cams.box_set_cam(number, 1.75 + number / 16)

    def turn(self):
        notes = (ctypes.c_int * len(self.barrel))(*self.barrel)
        return cams.box_turn(notes, len(notes))


def main():
    box = MusicBox("g3 c4 e4 g4 e4 c4 d4 f4 b3 c4")
    print(f"rough: {box.turn():.2f}")
    box.fit_cams()
    for _ in range(8):
        print(f"played: {box.turn():.2f}")


if __name__ == "__main__":
    main()
