# SPDX-License-Identifier: Apache-2.0
"""Labels of a herbarium are split into genus, words and the year they were collected."""

import os
from pathlib import Path

from pyparsing import Group, OneOrMore, Optional, Regex, Suppress, Word, nums

year = Word(nums, exact=4).setParseAction(lambda tokens: int(tokens[0]))
words = OneOrMore(Regex(r"[A-Za-z .\-]*"))
label = Group(Suppress("No.") + Word(nums)) + words + Optional(year)

LABELS = [
    "No. 118 Salix herbacea L. 1903",
    "No. 119 Dryas octopetala",
]


def split_label(text):
    number, *rest = label.parseString(text)
    return int(number[0]), rest


def main():
    Path("ready").write_text(f"{os.getpid()}\n")
    for text in LABELS:
        print(split_label(text))


if __name__ == "__main__":
    main()
