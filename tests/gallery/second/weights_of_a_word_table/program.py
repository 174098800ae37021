# SPDX-License-Identifier: Apache-2.0
"""Weights of words for a search page: the table is a C library's, the pages are lists here."""

import ctypes
import os

WORDS = ctypes.CDLL(os.path.abspath("words.so"))
WORDS.find_or_add.restype = ctypes.c_void_p
WORDS.find_or_add.argtypes = [ctypes.c_ulong]
WORDS.set_weight.argtypes = [ctypes.c_void_p, ctypes.c_double]


def entries_of(words):
    return [WORDS.find_or_add(sum(word.encode()) * 31 + len(word)) for word in words]


def page_of(number):
    words = [None] * 96
    for place in range(96):
        words[place] = "word %d of page %d" % (place, number)
    return words


def letters_of(pages):
    return sum(len(word) for page in pages for word in page)


def main():
    common = entries_of(["the", "of", "and", "harbour", "ferry", "ticket"])
    entries_of(["word%d" % number for number in range(200)])
    pages = [page_of(number) for number in range(40)]
    print(letters_of(pages))
    for rank, entry in enumerate(common):
        WORDS.set_weight(entry, 1.0 + rank / 4)
    print(letters_of(pages))


main()
