# SPDX-License-Identifier: Apache-2.0
"""A dye works weighs the pigments for its batches; each vat has a thread."""

import ctypes
import os
import queue
import threading
from dataclasses import dataclass, field

PIGMENTS = ["indigo", "madder", "weld", "cochineal", "walnut", "alkanet"]


class Share(ctypes.Structure):
    _fields_ = [("pigment", ctypes.c_char * 16), ("part", ctypes.c_double)]


class Recipe(ctypes.Structure):
    _fields_ = [("shares", ctypes.c_int), ("share", Share * 12)]


library = ctypes.CDLL(os.path.abspath("recipes.so"))
library.recipe_weigh.argtypes = [
    ctypes.POINTER(Recipe), ctypes.c_double, ctypes.POINTER(ctypes.c_double),
]  # fmt: skip
library.recipe_weigh.restype = ctypes.c_double


@dataclass
class Batch:
    number: int
    shade: str
    kilograms: float
    grams: float = 0.0


@dataclass
class Book:
    recipes: dict = field(default_factory=dict)

    def enter(self, shade, parts):
        recipe = Recipe(shares=len(parts))
        for index, (pigment, part) in enumerate(parts.items()):
            recipe.share[index].pigment = pigment.encode()
            recipe.share[index].part = part
        self.recipes[shade] = recipe

    def enter_percent(self, shade, percent):
        total = sum(percent.values())
        self.enter(shade, {pigment: round(p / total, 3) for pigment, p in percent.items()})


class Vat(threading.Thread):
    def __init__(self, number, book, batches):
        super().__init__(name=f"vat-{number}")
        self.book = book
        self.batches = batches
        self.done = []

    def run(self):
        grams = (ctypes.c_double * 12)()
        while (batch := self.batches.get()) is not None:
            recipe = self.book.recipes[batch.shade]
            batch.grams = library.recipe_weigh(recipe, batch.kilograms, grams)
            self.done.append(batch)


def main():
    book = Book()
    for number in range(24):
        first, second = PIGMENTS[number % 6], PIGMENTS[(number + 1 + number // 6) % 6]
        if first != second:
            book.enter(f"shade {number}", {first: 0.75, second: 0.25})
    book.enter_percent("harbour grey", {"indigo": 1, "walnut": 1, "weld": 1})
    batches = queue.Queue()
    vats = [Vat(number, book, batches) for number in range(4)]
    shades = sorted(book.recipes, reverse=True)
    for number in range(400):
        batches.put(Batch(number, shades[number % len(shades)], 2.5 + number % 9))
    for vat in vats:
        batches.put(None)
        vat.start()
    for vat in vats:
        vat.join()
    print(sum(batch.grams for vat in vats for batch in vat.done))


main()
