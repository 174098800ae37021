# SPDX-License-Identifier: Apache-2.0
"""The width of the columns of a parish paper, in points, so that a text fills the page."""

import os


class Page:
    def __init__(self, words, height):
        self.words, self.height = words, height

    def lines(self, width):
        lines, left = 1, width
        for word in self.words:
            if word + 1 > left:
                lines, left = lines + 1, width
            left -= word + 1
        return lines


def narrowest(page, low, high):
    while low < high:
        middle = (low + high) // 2
        if page.lines(middle) > page.height:
            low = middle
        else:
            high = middle
    return high


def main():
    page = Page([3 + n * 7 % 9 for n in range(400)], 50)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(narrowest(page, 12, 600), "points")


main()
