# SPDX-License-Identifier: Apache-2.0
"""Counts the words of letters in threads; every thread keeps its own cache of spellings."""

import threading

import spelling


class Word:
    def __init__(self, text):
        self.text = text
        self.seen = 0


class Counting(threading.Thread):
    def __init__(self, letters):
        super().__init__(name=f"letters of {len(letters)} lines")
        self.letters = letters
        self.total = 0

    def run(self):
        for line in self.letters:
            for text in line.split():
                word = spelling.cached(text, Word)
                word.seen += 1
                self.total += 1


def letters(day):
    return [f"dear {day} we thank you for line {n} of order {day * n}" for n in range(day * 3)]


def main():
    for day in range(1, 12):
        counting = Counting(letters(day))
        counting.start()
        counting.join()
        print("day", day, counting.total, "words", flush=True)


if __name__ == "__main__":
    main()
