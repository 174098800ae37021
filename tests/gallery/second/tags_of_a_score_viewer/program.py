# SPDX-License-Identifier: Apache-2.0
"""Looks for the parts of a music score; tags are compared without regard to their namespace."""

import xml.etree.ElementTree as ET

SCORE = """<score><title>Ländler</title>%s</score>"""
PART = '<part id="P%d"><measure number="1"><note>C</note><rest/></measure></part>'


class Tag(str):
    """A tag; the first failed look at a score of an old version brings it up to date."""

    def __new__(cls, score, name):
        made = super().__new__(cls, name)
        made.score = score
        return made

    __hash__ = str.__hash__

    def __eq__(self, other):
        if str(other).rpartition("}")[2] == str(self):
            return True
        if self.score.version < 3:
            self.score.upgrade()
        return False


class Score:
    def __init__(self, text, version):
        self.root = ET.fromstring(text)
        self.version = version

    def upgrade(self):
        self.version = 3
        parts = list(self.root)
        self.root.clear()
        self.pending = parts

    def find(self, name):
        return self.root.find(Tag(self, name))


def main():
    text = SCORE % "".join(PART % number for number in range(12))
    for version in (3, 4, 2):
        score = Score(text, version)
        found = score.find("part")
        print(version, None if found is None else found.get("id"))


main()
