# SPDX-License-Identifier: Apache-2.0
"""A genealogist's database: the web frontend shows persons, its debug page their repr."""

import logging
import queue
import sys
import threading

sys.setrecursionlimit(1_000_000)  # long lines of descent were cut off with the default
threading.stack_size(256 << 10)


class Person:
    def __init__(self, number, name, born):
        self.number = number
        self.name = name
        self.born = born
        self.parents = []
        self.children = []
        self.marriage = None

    def adopt(self, child):
        self.children.append(child)
        child.parents.append(self)

    def __repr__(self):
        return f"Person({self.name!r}, {self.born}, marriage={self.marriage!r})"


class Marriage:
    """Two persons and the year in which they married."""

    def __init__(self, year, first, second):
        self.year = year
        self.couple = (first, second)
        first.marriage = second.marriage = self

    def __repr__(self):
        first, second = self.couple
        return f"Marriage({self.year}, {first!r}, {second!r})"


class Tree:
    def __init__(self):
        self.persons = {}

    def add(self, name, born):
        person = Person(len(self.persons) + 1, name, born)
        self.persons[person.number] = person
        return person

    def descendants(self, person):
        waiting, found = [person], []
        while waiting:
            found.append(waiting.pop())
            waiting.extend(found[-1].children)
        return found


class DebugPage(threading.Thread):
    def __init__(self, tree):
        super().__init__(name="debug-page")
        self.tree = tree
        self.requests = queue.Queue()
        self.shown = 0

    def run(self):
        while (number := self.requests.get()) is not None:
            logging.info("person %d asked for", number)
            self.shown += len(repr(self.tree.persons[number]))


def fill(tree):
    generation = [tree.add(f"ancestor {n}", 1600 + n % 9) for n in range(8)]
    for depth in range(1, 9):
        following = []
        for number, parent in enumerate(generation):
            for child in range(1 + (number + depth) % 2):
                person = tree.add(f"{parent.name} {child}", parent.born + 27 + number % 6)
                parent.adopt(person)
                following.append(person)
        generation = following
    return generation


def main():
    tree = Tree()
    youngest = fill(tree)
    page = DebugPage(tree)
    page.start()
    for number in range(1, 40):
        page.requests.put(number)
    Marriage(1898, youngest[0], youngest[-1])
    page.requests.put(youngest[-1].number)
    page.requests.put(None)
    page.join()
    print(page.shown, len(tree.descendants(tree.persons[1])))


main()
