# SPDX-License-Identifier: Apache-2.0
"""An extension takes a block from PyMem_Malloc() and gives it back by PyObject_Free(). In
development mode Python's debug hooks find it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slugs


class Article:
    def __init__(self, title):
        self.title = title

    def path(self):
        return "/articles/" + slugs.slug(self.title)


def site_map(articles):
    return [article.path() for article in articles]


def publish(titles):
    print(site_map([Article(title) for title in titles]))


def main():
    publish(["Ten Teas", "How We Pack"])


main()
