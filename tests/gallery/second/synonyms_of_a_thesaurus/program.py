# SPDX-License-Identifier: Apache-2.0
"""Builds the index of a thesaurus on a shared host, within the memory that the host grants."""

import argparse
import ctypes
import itertools
import logging
import random
import resource
from pathlib import Path

log = logging.getLogger("thesaurus")

library = ctypes.CDLL(str(Path(__file__).with_name("trie.so")))
library.trie_new.restype = ctypes.c_void_p
library.trie_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint]
library.trie_add.restype = None
library.trie_size.argtypes = [ctypes.c_void_p]
library.trie_size.restype = ctypes.c_size_t

SYLLABLES = ("ba", "co", "du", "fer", "gli", "ho", "in", "jur", "kel", "lo", "man", "nis", "or")


class Index:
    def __init__(self):
        self._trie = library.trie_new()
        self.words = 0

    def add(self, word, meaning):
        library.trie_add(self._trie, word.encode(), meaning)
        self.words += 1

    def __len__(self):
        return library.trie_size(self._trie)


class Thesaurus:
    """Words and the numbers of what they mean."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.meanings = itertools.count(1)

    def entries(self):
        while True:
            meaning = next(self.meanings)
            for _ in range(self.dice.randrange(1, 5)):
                length = self.dice.randrange(3, 7)
                yield "".join(self.dice.choices(SYLLABLES, k=length)), meaning


def grant(megabytes):
    """Keep to what was promised to the other tenants of the host."""
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def build(words, seed=3):
    index = Index()
    for word, meaning in Thesaurus(seed).entries():
        index.add(word, meaning)
        if index.words % 20_000 == 0:
            log.info("%d words, %d nodes", index.words, len(index))
        if index.words == words:
            return index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--megabytes", type=int, default=320)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    grant(options.megabytes)
    print(len(build(options.words)), "nodes")


if __name__ == "__main__":
    main()
