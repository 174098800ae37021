# SPDX-License-Identifier: Apache-2.0
"""An edition of a manuscript: its chapters are external entities that are parsed one by one."""

from collections import Counter
from xml.parsers import expat

BOOK = """<?xml version="1.0"?>
<!DOCTYPE book [
%s
]>
<book>%s</book>
"""


class Chapter:
    def __init__(self, name, parser):
        self.name = name
        self.parser = parser
        self.words = Counter()
        parser.CharacterDataHandler = self.text
        parser.StartElementHandler = self.start
        parser.ExternalEntityRefHandler = None  # chapters have no parts of their own
        self.notes = 0

    def start(self, name, attributes):
        self.notes += name == "note"

    def text(self, data):
        self.words.update(data.split())


class Edition:
    """Finds the chapters first; they are read when somebody asks for them."""

    def __init__(self, store):
        self.store = store
        self.chapters = {}

    def open(self, text):
        parser = expat.ParserCreate()

        def entity(context, base, system, public):
            self.chapters[system] = Chapter(system, parser.ExternalEntityParserCreate(context))
            return 1

        parser.ExternalEntityRefHandler = entity
        parser.Parse(text, True)
        parser.ExternalEntityRefHandler = None

    def read(self, name):
        chapter = self.chapters[name]
        chapter.parser.Parse(self.store[name], True)
        return chapter.words


def chapter_text(number):
    words = "the monk wrote of bread and of the winter that took the bees".split()
    lines = [" ".join(words[(number + k) % len(words) :]) for k in range(40)]
    return "<chapter>" + "<note n='1'/>\n".join(lines) + "</chapter>"


def book_text(names):
    entities = "\n".join(f'<!ENTITY {name} SYSTEM "{name}.xml">' for name in names)
    return BOOK % (entities, "\n".join(f"&{name};" for name in names))


def main():
    total = Counter()
    for volume in range(12):
        names = [f"v{volume}c{number}" for number in range(9)]
        store = {f"{name}.xml": chapter_text(number) for number, name in enumerate(names)}
        edition = Edition(store)
        edition.open(book_text(names))
        index = [bytes([volume + 65]) * size for size in range(700, 2400, 8) for _ in range(4)]
        for name in store:
            total.update(edition.read(name))
        print(volume, len(index), total.most_common(2), flush=True)


main()
