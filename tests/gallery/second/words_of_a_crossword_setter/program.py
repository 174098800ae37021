# SPDX-License-Identifier: Apache-2.0
"""Collects the words of a crossword and scores the fill, theme by theme."""

import ctypes
import random
from pathlib import Path

library = ctypes.CDLL(str(Path(__file__).with_name("wordpool.so")), use_errno=True)
library.pool_new.argtypes = [ctypes.c_size_t]
library.pool_new.restype = ctypes.c_void_p
library.pool_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
library.pool_drop.argtypes = [ctypes.c_void_p, ctypes.c_uint]
library.pool_drop.restype = None
library.pool_trim.argtypes = [ctypes.c_void_p]
library.pool_trim.restype = None
library.pool_score.argtypes = [ctypes.c_void_p]
library.pool_score.restype = ctypes.c_long

VOWELS, CONSONANTS = "aeiou", "bcdfglmnprst"


class PoolFull(Exception):
    pass


class WordPool:
    def __init__(self, size=1 << 20):
        self._pool = library.pool_new(size)
        self.fast = bool(library.pool_probe())
        self.words = 0

    def add(self, text, themed):
        if library.pool_add(self._pool, text.encode(), int(themed)):
            raise PoolFull(ctypes.get_errno())
        self.words += 1

    def take_back(self, number):
        library.pool_drop(self._pool, number)
        self.words -= number

    def trim(self):
        library.pool_trim(self._pool)

    @property
    def score(self):
        return library.pool_score(self._pool)


class Setter:
    """Tries fills of the grid and takes back what does not fit."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.pool = WordPool()
        self.best = 0

    def word(self):
        pairs = self.dice.randrange(2, 6)
        return "".join(
            self.dice.choice(CONSONANTS) + self.dice.choice(VOWELS) for _ in range(pairs)
        )

    def attempt(self, words):
        for number in range(words):
            self.pool.add(self.word(), themed=number % 7 == 0)
        score = self.pool.score
        if score > self.best:
            self.best = score
        self.pool.take_back(words // 2)


def main():
    setter = Setter(seed=11)
    for size in (40, 120, 300, 800):
        setter.attempt(size)
        print(f"{setter.pool.words} words, {setter.pool.score} points", flush=True)
    try:
        setter.attempt(40_000)
    except PoolFull as reason:
        print("the pool is full:", reason, flush=True)
        setter.pool.take_back(setter.pool.words - 700)
    setter.pool.trim()
    print(f"{setter.pool.words} words, {setter.pool.score} points of {setter.best}")


if __name__ == "__main__":
    main()
