# SPDX-License-Identifier: Apache-2.0
"""A badge reader whose driver reports badges from its own side, through pending calls."""

import badges


class Door:
    def __init__(self, number):
        self.number = number
        self.opened = 0

    def badge(self, code):
        self.opened += 1


def probe(door):
    """Let a reader report its self-test once, then give the reader back."""
    badges.Reader(door.badge, 40 + door.number).self_test()


def main():
    doors = [Door(number) for number in range(4)]
    for door in doors:
        probe(door)
        codes = [(door.number, number) for number in range(30)]
        texts = ["%d/%d" % code for code in codes]
    print([door.opened for door in doors], len(texts))


main()
