# SPDX-License-Identifier: Apache-2.0
"""A cache of rendered pages drops some pages, and renders others into the room that is free."""

import json
import os


def render(number):
    return b"<li>page %05d" % number + b"." * 427


def neighbours(pages):
    """Return the first of three pages in a row that lie in one pool of the allocator."""
    return next(
        n
        for n in range(20, len(pages) - 3)
        if len({id(page) >> 12 for page in pages[n : n + 3]}) == 1
    )


def drop(pages, first, count):
    for n in range(first, first + count):
        pages[n] = None


def refill(pages, start):
    for n, page in enumerate(pages):
        if page is None:
            pages[n] = render(start + n)


def grow(pages, count):
    pages.extend([None] * count)
    refill(pages, 10_000)
    return len(pages)


def main():
    pages = [render(n) for n in range(120)]
    first = neighbours(pages)
    link = id(pages[first + 1])
    told = json.dumps({"pid": os.getpid(), "memory": [[link, 42]]}) + "\n"
    file = open("ready", "w")
    drop(pages, first, 3)
    file.write(told)
    file.close()
    input()
    print(grow(pages, 60))


main()
