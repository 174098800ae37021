# SPDX-License-Identifier: Apache-2.0
"""Walk a tree that contains itself, through C and back, until the C stack ends."""

from __future__ import annotations

import sys
import threading
import time

import _tree

SETTLE_SECONDS = 0.3  # so that the other thread has reached the place where it waits

sys.setrecursionlimit(1_000_000)  # "to make the deep trees work"


class Node:
    """A named node."""

    def __init__(self, name):
        self.name = name
        self.children = []


class DepthFinder:
    """Find the depth of a tree."""

    def __init__(self):
        self.depth = 0

    def visit(self, node):
        """Visit a node, then its children by way of C."""
        self.depth += 1
        _tree.visit_children(node.children, self.visit)


def make_tree():
    """Make a tree whose leaf has the root as its child."""
    root, leaf = Node("root"), Node("leaf")
    root.children.append(leaf)
    leaf.children.append(root)
    return root


def measure(tree):
    """Return the depth of the tree."""
    finder = DepthFinder()
    finder.visit(tree)
    return finder.depth


def sleep_until(wake_up):
    """Stand for a thread that waits for work."""
    wake_up.wait()


def main():
    """Start an idle worker, then measure."""
    wake_up = threading.Event()
    threading.Thread(target=sleep_until, args=(wake_up,), name="idle-worker", daemon=True).start()
    time.sleep(SETTLE_SECONDS)
    measure(make_tree())


main()
