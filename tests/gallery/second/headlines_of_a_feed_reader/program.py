# SPDX-License-Identifier: Apache-2.0
"""Finds headlines that are quoted in the articles of a feed."""

import random
from concurrent.futures import ThreadPoolExecutor

import quotes

WORDS = "river harbour council bridge winter tram museum market school ferry".split()


def article(chance, words):
    text = " ".join(chance.choice(WORDS) for _ in range(words))
    return f'Reported: "{text}" (agency)'


def main():
    chance = random.Random(3)
    finder = quotes.Finder(r'[^"]*"((?:[a-z]|\s)+)"[^"]*')
    with ThreadPoolExecutor(2, thread_name_prefix="reader") as readers:
        for issue, words in enumerate([12, 90, 400, 60000, 40]):
            length = readers.submit(finder.quoted, article(chance, words)).result()
            print("issue", issue, "quotes", length, "letters", flush=True)


if __name__ == "__main__":
    main()
