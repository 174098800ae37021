# SPDX-License-Identifier: Apache-2.0
"""Counts how often each word of a long text is in a dictionary, by a small library in C."""

import ctypes
import os

words = ctypes.CDLL(os.path.abspath("words.so"))
words.count_all.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_long]


def count(text):
    array = (ctypes.c_char_p * len(text))(*text)
    return words.count_all(array, len(text))


def main():
    text = [b"word%05d" % (number * 7919 % 20000) for number in range(20000)]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(sum(count(text) for _ in range(100)))


main()
