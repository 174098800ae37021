# SPDX-License-Identifier: Apache-2.0
"""Counts the phrases of a corpus of sermons, page by page."""

import os
import random
import re
from collections import Counter
from pathlib import Path

PHRASE = re.compile(r"\b(the|a|his|her)\s+(\w+)\s+(of|in|upon)\s+(the\s+)?(\w+)\b", re.IGNORECASE)
WORDS = "the a his her of in upon light mountain river house voice day night song field".split()
PAGES = 60_000


class Corpus:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.phrases = Counter()
        self.pages_done = 0

    def page(self):
        return " ".join(self.random.choices(WORDS, k=1200))

    def count_page(self, text):
        for match in PHRASE.finditer(text):
            self.phrases[match.group(2).lower(), match.group(5).lower()] += 1
        self.pages_done += 1


def main():
    corpus = Corpus(seed=1871)
    Path("ready").write_text(f"{os.getpid()}\n")
    for _ in range(PAGES):
        corpus.count_page(corpus.page())
    print(corpus.phrases.most_common(5))


if __name__ == "__main__":
    main()
