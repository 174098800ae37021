# SPDX-License-Identifier: Apache-2.0
"""An index of a document store grows in memory until all documents were read (limit: 200 MB)."""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("index.so"))
library.index_word.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int]
WORDS = [
    word.encode() for word in "contract price delivery until the party shall goods of and".split()
]


def limit_memory(megabytes):
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


class Indexer:
    def __init__(self):
        self.documents = 0
        library.index_begin()

    def read(self, number):
        for place, word in enumerate(WORDS):
            library.index_word(word, number, 4 + (number * 3 + place * place) % 5)
        self.documents += 1


def main():
    limit_memory(200)
    indexer = Indexer()
    for number in range(400000):
        indexer.read(number)
        if number % 2000 == 0:
            print(number, library.index_words(), flush=True)


main()
