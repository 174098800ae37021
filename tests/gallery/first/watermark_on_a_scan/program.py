# SPDX-License-Identifier: Apache-2.0
"""Stamps thumbnails of scanned pages with a thin line at their margin, page by page."""

import pages


class Sheet:
    def __init__(self, number):
        self.number = number
        self.notes = {"page": number, "words": [str(number)] * 3}

    def weight(self):
        return sum(map(len, self.notes["words"])) + self.notes["page"]


def stamp(sheets, page, height):
    page.line(52, 0, height, 0xE1)
    return sum(sheet.weight() for sheet in sheets)


def main():
    before = [Sheet(n) for n in range(4000)]
    page = pages.Page(64, 8)
    after = [Sheet(n) for n in range(6000)]
    print(stamp(before, page, 8), flush=True)
    page.line(52, 0, 1000, 0xE1)
    for _ in range(3):
        print(
            sum(sheet.weight() for sheet in before),
            sum(sheet.weight() for sheet in after),
            flush=True,
        )
        after = [Sheet(sheet.number) for sheet in after]


main()
