# SPDX-License-Identifier: Apache-2.0
"""Two editions of a chronicle are collated, chapter by chapter."""

import difflib
import json
import os
import random

LETTERS = "etaoinshrdlu "


def chapter(generator, length):
    return "".join(generator.choice(LETTERS) for _ in range(length))


def second_edition(generator, text):
    """Return the text as a later printer set it."""
    letters = list(text)
    for _ in range(len(letters) // 8):
        letters[generator.randrange(len(letters))] = generator.choice(LETTERS)
    return "".join(letters)


def collate(first, second):
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return [code for code in matcher.get_opcodes() if code[0] != "equal"]


def collation(chapters, length):
    generator = random.Random(1605)
    variants = {}
    for number in range(chapters):
        text = chapter(generator, length)
        variants[number] = len(collate(text, second_edition(generator, text)))
    return variants


def main():
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(collation(400, 9000))


main()
