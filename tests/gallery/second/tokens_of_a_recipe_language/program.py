# SPDX-License-Identifier: Apache-2.0
"""Recipes arrive in pieces; a scanner in C tells each word to the book."""

import recipe_scanner


class RecipeBook:
    def __init__(self):
        self.text = bytearray()
        self.words = 0
        self.batches = []

    def receive(self, piece):
        self.text += piece

    def on_word(self, start, end):
        self.words += 1
        if self.words % 5000 == 0:
            self.batches.append(bytes(self.text[:end]))
            del self.text[: end - end // 8]
            self.text = self.compact()

    def compact(self):
        kept = bytes(self.text[-1024:])
        self.text.clear()
        return bytearray(kept)


def main():
    book = RecipeBook()
    for number in range(4000):
        book.receive(b"stir %d spoons of sugar into the bowl, then wait and taste again\n" % number)
    print(len(book.text), "bytes", flush=True)
    print(recipe_scanner.scan(book.text, book.on_word), "words")


main()
