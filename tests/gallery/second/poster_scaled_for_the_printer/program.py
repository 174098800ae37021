# SPDX-License-Identifier: Apache-2.0
"""Scale a poster up for a large format printer."""

import scaling


class Poster:
    def __init__(self, name, width, height):
        self.name = name
        self.width = width
        self.height = height

    def printed(self, factor):
        return scaling.enlarge(self.width, self.height, factor)


def main():
    posters = [
        Poster("menu", 40, 60),
        Poster("concert", 400, 600),
        Poster("motorway", 4096, 1025),
    ]
    notes = {}
    for poster in posters:
        notes[poster.name] = poster.printed(16)
    print(notes)


main()
