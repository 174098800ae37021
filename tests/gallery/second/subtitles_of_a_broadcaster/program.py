# SPDX-License-Identifier: Apache-2.0
"""Subtitles for films that are also shown backwards, at a festival."""

from clock import NO_TIME, REVERSED, TICKS, rescale


class Subtitle:
    def __init__(self, text, start=NO_TIME, end=NO_TIME):
        self.text, self.start, self.end = text, start, end


class Track:
    def __init__(self, film, subtitles):
        self.film, self.subtitles = film, subtitles

    def backwards(self):
        times = [time for each in self.subtitles for time in (each.start, each.end)]
        moved = iter(rescale(times, TICKS, REVERSED))
        return Track(
            self.film, [Subtitle(s.text, next(moved), next(moved)) for s in self.subtitles[::-1]]
        )


def main():
    tracks = [
        Track("the weir", [Subtitle("good morning", 90000, 270000), Subtitle("so", 30000, 40000)]),
        Track("night mail", [Subtitle("all aboard", 8000, 99000), Subtitle("[a whistle]", 120000)]),
    ]
    for track in tracks:
        for subtitle in track.backwards().subtitles:
            print(track.film, subtitle.text, subtitle.start, flush=True)


if __name__ == "__main__":
    main()
