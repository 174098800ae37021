# SPDX-License-Identifier: Apache-2.0
"""The path of a node is asked, and a node is its own parent."""


class Node:
    def __init__(self):
        self.parent = self

    def path(self):
        try:
            return self.parent.path() + "/"
        except RecursionError:
            return self.fallback()

    def fallback(self):
        try:
            return self.parent.path()
        except Exception:
            return self.parent.fallback()


print(len(Node().path()))
