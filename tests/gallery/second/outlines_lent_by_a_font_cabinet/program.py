"""Poster press: sets lines of text with outlines from a native cabinet of fonts."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cabinet  # noqa: E402

GLYPHS = {"Fraktur": 61_000, "Grotesk": 66_000}


class Line:
    def __init__(self, font, text):
        self.font, self.text = font, text

    def width(self):
        outlines = cabinet.outlines(self.font, GLYPHS[self.font])
        total = 0
        for letter in self.text:
            start = ord(letter) * 640 % len(outlines)
            total += sum(outlines[start : start + 64])
        return total // 64


class Poster:
    def __init__(self, title):
        self.title = title
        self.lines = []

    def add(self, font, text):
        self.lines.append(Line(font, text))
        return self

    def widest(self):
        return max(line.width() for line in self.lines)


def posters():
    yield Poster("circus").add("Grotesk", "Tonight at eight")
    yield Poster("harvest").add("Fraktur", "Ernteball")
    yield Poster("cinema").add("Grotesk", "Two features").add("Fraktur", "for one ticket")
    yield Poster("regatta").add("Grotesk", "Sunday on the lake").add("Grotesk", "Bring the band")


def main():
    print("press is warm, fonts kept:", cabinet.fonts(), flush=True)
    for poster in posters():
        print(poster.title, poster.widest(), "fonts kept:", cabinet.fonts(), flush=True)


main()
