# SPDX-License-Identifier: Apache-2.0
"""A search index splits texts into tokens with tokens.so, which keeps its counts per module."""

import tokens

TEXTS = ["the ferry leaves at nine", "the bridge is closed", "nine bridges and a ferry"]


def add_to_index(index, number, text):
    for token in tokens.split(text):
        index.setdefault(token, set()).add(number)


def main():
    print(tokens.MINIMUM)
    index = {}
    for number, text in enumerate(TEXTS):
        add_to_index(index, number, text)
    print(sorted(index))


main()
