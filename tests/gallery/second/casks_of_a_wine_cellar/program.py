# SPDX-License-Identifier: Apache-2.0
"""Taste every cask of a cellar and write the notes of the vintage."""

import threading
from dataclasses import dataclass, field

import cellar


@dataclass
class Note:
    cask: str
    colour: str
    marks: list = field(default_factory=list)


class TastingBook:
    def __init__(self):
        self._lock = threading.Lock()
        self.notes = {}
        self.pages = []

    def write(self, note):
        with self._lock:
            self.notes.setdefault(note.cask, []).append(note)
            page = f"{note.cask}: {note.colour}; {note.marks}"
            self.pages.append(page.ljust(900 + len(self.pages)))


class Rack:
    def __init__(self, name, vineyards):
        self.name = name
        self.casks = [cellar.Cask(f"{name}/{yard}", 225.0) for yard in vineyards]

    def fill_all(self, litres):
        for cask in self.casks:
            cask.fill(litres)

    def taste(self, book):
        for cask in self.casks:
            bottle = cask.sample()
            colour = "ruby" if len(bottle.label) % 2 else "amber"
            book.write(Note(bottle.label, colour, [round(cask.litres, 1), bottle.litres]))


def main():
    book = TastingBook()
    yards = ["Kastelberg", "Sonnhalde", "Rosenthal", "Im Grund", "Pfaffenloch"]
    racks = [Rack(name, yards) for name in ("north", "east", "south", "west")]
    for rack in racks:
        rack.fill_all(220)
    for year in range(2000, 2400):
        for rack in racks:
            rack.taste(book)
        print(year, len(book.pages), flush=True)


if __name__ == "__main__":
    main()
