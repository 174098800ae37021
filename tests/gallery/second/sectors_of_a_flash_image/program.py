# SPDX-License-Identifier: Apache-2.0
"""Compares sectors of a flash image that a builder replaces now and then."""

import mmap
import os


class FlashImage:
    def __init__(self, path, size):
        self.path = path
        self.size = size
        self.generation = 0
        with open(path, "wb") as file:
            file.write(bytes(range(256)) * (size // 256))
        self.open()

    def open(self):
        with open(self.path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def refresh(self):
        self.map.close()
        self.generation += 1
        self.open()

    def first_byte(self, sector):
        return self.map[sector]


class Sector:
    """A sector by its number; knows where it begins in the newest image."""

    def __init__(self, image, number):
        self.image = image
        self.number = number
        self.generation = image.generation

    def __index__(self):
        if self.number % 50 == 49 and self.generation == self.image.generation:
            self.image.refresh()
        return self.number * 512


def main():
    image = FlashImage("flash.img", 4 << 20)
    sectors = [Sector(image, number) for number in range(0, 8000, 7)]
    wrong = [s.number for s in sectors if image.first_byte(s) != 0]
    print("generation", image.generation, "wrong", len(wrong))
    os.unlink("flash.img")


if __name__ == "__main__":
    main()
