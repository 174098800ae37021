# SPDX-License-Identifier: Apache-2.0
"""A concordance: where each word of a book stands."""

from collections import OrderedDict

from words_tagged_for_a_concordance import encode


class Place:
    __slots__ = ("page", "line")

    def __init__(self, page, line):
        self.page = page
        self.line = line

    def __str__(self):
        return f"{self.page}:{self.line}"


class Concordance:
    def __init__(self, kept=40):
        self.places = {}
        self.recent = OrderedDict()
        self.kept = kept

    def add_line(self, page, line, text):
        place = Place(page, line)
        for word in set(encode(text, False)):
            self.places.setdefault(word, []).append(place)

    def forget(self, page):
        """Take the places of a page out, for it is printed anew."""
        for places in self.places.values():
            places[:] = [place for place in places if place.page != page]

    def look_up(self, phrase):
        """Return the places of all words of a phrase, the marks included."""
        if phrase not in self.recent:
            self.recent[phrase] = encode(phrase, True)
            if len(self.recent) > self.kept:
                self.recent.popitem(last=False)
        found = set()
        for word in self.recent[phrase]:
            found.update(self.places.get(word, ()))
        return sorted(map(str, found))
