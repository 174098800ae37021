# SPDX-License-Identifier: Apache-2.0
"""A bit of a __slots__ member was flipped from outside; its method call meets no object."""

import json
import os


class Leaf:
    __slots__ = ("left", "right", "key")

    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def insert(node, key):
    side = "left" if key < node.key else "right"
    below = getattr(node, side)
    if below is None:
        setattr(node, side, Leaf(key))
    else:
        insert(below, key)


def size(node):
    return 0 if node is None else 1 + size(node.left) + size(node.right)


def main():
    root = Leaf(500)
    for number in range(1000):
        insert(root, number * 379 % 1000)
    victim = root.left.right
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(victim) + 16, 40]]}) + "\n")
    input()
    print(size(root))


main()
