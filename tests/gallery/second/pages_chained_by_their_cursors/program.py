# SPDX-License-Identifier: Apache-2.0
"""Follows the cursors of a paged API; each page gives its rows, and then those of the next."""

import sys

sys.setrecursionlimit(10_000_000)


def rows_of(page, following):
    if page % 1000 == 0:
        yield page
    yield from following


def last_page():
    yield "end"
    yield "the archive has nothing older"


def open_archive(pages):
    rows = last_page()
    for page in range(1, pages):
        rows = rows_of(page % 1000 or 1, rows)
    return rows


def main():
    for pages in (10, 100, 200_000):
        rows = open_archive(pages)
        print(pages, next(rows), flush=True)
        rows.close()


main()
