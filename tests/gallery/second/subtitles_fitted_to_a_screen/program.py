# SPDX-License-Identifier: Apache-2.0
"""Subtitles of a film are fitted to the width of a caption screen."""

import ctypes
import os
from typing import NamedTuple

WORDS = "the ferry leaves at nine and nobody on the quay knows who has the tickets".split()
COLUMNS = 28


class Cue(NamedTuple):
    number: int
    start: float
    end: float
    speaker: str
    text: str
    align: str
    style: str


class Screen:
    """One line of cells for every cue that is on air or comes next."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("captions.so"))
        self.library.caption_fit.argtypes = [
            ctypes.c_void_p, ctypes.c_wchar_p, ctypes.c_size_t,
        ]  # fmt: skip
        self.library.caption_fit.restype = ctypes.c_size_t
        self.library.caption_width.argtypes = [ctypes.c_void_p]
        self.lines = []

    def line(self):
        cells = ctypes.create_unicode_buffer(COLUMNS)
        self.lines.append(cells)
        return cells

    def show(self, cells, text):
        fitted = self.library.caption_fit(cells, text[: COLUMNS - 1], ctypes.sizeof(cells))
        return fitted, self.library.caption_width(cells)


def cues_of(film, count, screen):
    cues, cells = [], []
    for number in range(count):
        text = " ".join(WORDS[(number + step) % len(WORDS)] for step in range(3 + number % 4))
        start = number * 2.5
        cues.append(Cue(number, start, start + 2.0, film, text, "centre", "plain"))
        cells.append(screen.line())
    return cues, cells


def reading_speed(cues):
    return max(len(cue.text) / (cue.end - cue.start) for cue in cues)


def overlaps(cues):
    by_start = sorted(cues)
    return sum(a.end > b.start for a, b in zip(by_start, by_start[1:]))


def main():
    screen = Screen()
    cues, cells = cues_of("Night Ferry", 900, screen)
    print("fastest", round(reading_speed(cues), 1))
    widest = 0
    for number in range(0, len(cues), 40):
        fitted, width = screen.show(cells[number], cues[number].text)
        widest = max(widest, width)
    print("widest", widest)
    print("overlaps", overlaps(cues))
    print("fastest", round(reading_speed(cues), 1))


main()
