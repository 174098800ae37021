# SPDX-License-Identifier: Apache-2.0
import copy
import sys


class Revision:
    def __init__(self, text, parent=None):
        self.text = text
        self.parent = parent
        self.number = parent.number + 1 if parent else 1


class Page:
    def __init__(self, title):
        self.title = title
        self.head = Revision("")

    def edit(self, text):
        self.head = Revision(text, self.head)

    def snapshot(self):
        return copy.deepcopy(self)


def history(edits):
    page = Page("Village pond")
    for edit in range(edits):
        page.edit(f"ducks: {edit % 17}")
    return page


sys.setrecursionlimit(10**7)
for edits in (50, 2000, 300_000):
    print(edits, history(edits).snapshot().head.number, flush=True)
