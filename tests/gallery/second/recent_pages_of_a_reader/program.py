# SPDX-License-Identifier: Apache-2.0
"""A reading room keeps the pages read last; a page of a newer edition makes the shelf start
anew."""

from collections import OrderedDict

SHELF = OrderedDict()
CAPACITY = 40


class PageKey:
    """Where a page stands: the path counts, and the edition tells whether it is still good."""

    def __init__(self, path, edition):
        self.path = path
        self.edition = edition

    def __hash__(self):
        return hash(self.path)

    def __eq__(self, other):
        if self.path == other.path and self.edition != other.edition:
            start_anew()
        return self.path == other.path


def start_anew():
    SHELF.clear()


def put(key, text):
    SHELF[key] = text
    while len(SHELF) > CAPACITY:
        SHELF.popitem(last=False)


def touch(key):
    try:
        SHELF.move_to_end(key)
    except KeyError:
        put(key, "page %s" % key.path)
    return SHELF.get(key)


def main():
    for number in range(30):
        put(PageKey("/manual/%d" % number, 1), "text of page %d" % number)
    for number in (3, 8, 12):
        print(touch(PageKey("/manual/%d" % number, 1)))
    print(touch(PageKey("/manual/12", 2)))


main()
