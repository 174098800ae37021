# SPDX-License-Identifier: Apache-2.0
"""Replaces the chapters of a book from a given mark on."""

import xml.etree.ElementTree as ET


class Mark:
    """Where a reader has stopped; a position among the chapters."""

    def __init__(self, book, edition):
        self.book, self.edition = book, edition

    def __index__(self):
        if self.book.get("edition") != self.edition:
            # The mark belongs to another edition: start with an empty book.
            self.book.clear()
        return 0


def book_of(chapters):
    book = ET.Element("book", edition="1")
    for number in range(chapters):
        chapter = ET.SubElement(book, "chapter", number=str(number))
        chapter.text = f"Chapter {number}"
    return book


def replace_from(book, mark, chapters):
    book[mark:12] = chapters


book = book_of(12)
replace_from(book, Mark(book, "1"), [ET.Element("preface")])
book = book_of(12)
replace_from(book, Mark(book, "2"), [])
print(ET.tostring(book))
