# SPDX-License-Identifier: Apache-2.0
"""Output of an import goes to a panel; once it has begun the panel steps back for the real one."""

import sys


class Panel(tuple):
    """A row of cells; takes the first word of the output as its title."""

    title = None

    def write(self, text):
        if self.title is None:
            self.title = text
            sys.stdout = sys.__stdout__
        return len(text)

    def flush(self):
        pass


def announce(*words):
    print(*words)


def import_articles():
    sys.stdout = Panel([""] * 100_000)
    announce("import", "of", "articles", "begins")
    for number in range(1000):
        announce("article", number)


import_articles()
