# SPDX-License-Identifier: Apache-2.0
# corpus: {"oldest": [3, 10]}
"""Die below what a match statement runs: patterns of classes, mappings and sequences, guards."""

import collections.abc

import deathbed


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, way):
        self.x = 1
        self.way = way

    @property
    def y(self):
        match [1, self.way, 3]:
            case [_, way, *rest] if in_guard(way, rest):
                return 2
        return 0


class Mapping(collections.abc.Mapping):
    def __init__(self, way):
        self.way = way

    def __len__(self):
        return 2

    def __iter__(self):
        return iter("ab")

    def __getitem__(self, key):
        return self.get(key)

    def get(self, key, default=None):
        match self.way:
            case (
                deathbed.Way(name="kill", signal=number)
                | deathbed.Way(
                    name="raise",
                    signal=number,
                )
            ):
                return in_equal(self.way, number)
        return default


class Equal:
    def __init__(self, way):
        self.way = way

    def __eq__(self, other):
        return deathbed.die(self.way)

    __hash__ = None


def in_guard(way, rest):
    match Mapping(way):
        case {"missing": 1, **others}:
            return others
        case {"a": _, "b": [3, 4]}:
            return rest


def in_equal(way, number):
    match Equal(way):
        case 0 | 1 | None:
            return number
        case "text":
            return number


def main(way):
    match Point(way):
        case Point(x=2):
            return 1
        case Point(1, 2) as found:
            return found
        case _:
            return None


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
