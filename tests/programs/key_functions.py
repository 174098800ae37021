# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below callbacks of the standard library's C code, each called by the one before."""

import array
import functools
import heapq
import itertools
import json
import operator
import re
import string

import deathbed


def by_key(step):
    return [3, 1, 2].sort(key=lambda one: step() if one == 2 else one)


def by_minimum(step):
    return min([1, 2], key=lambda one: step())


def by_compare(step):
    return sorted([1, 2], key=functools.cmp_to_key(lambda left, right: step()))


class Hostile:
    """An object whose every special method goes on."""

    def __init__(self, step):
        self.step = step

    def __hash__(self):
        return hash("key")

    def __eq__(self, other):
        return self.step()

    def __lt__(self, other):
        return self.step()

    def __index__(self):
        return self.step()

    def __format__(self, spec):
        return self.step()

    def __getitem__(self, key):
        return self.step()

    def __int__(self):
        return self.step()

    def __iter__(self):
        return self

    def __next__(self):
        return self.step()

    def __fspath__(self):
        return self.step()

    def keys(self):
        return self.step()

    def write(self, text):
        return self.step()

    def flush(self):
        pass


class Missing(dict):
    def __missing__(self, key):
        return key()


STEPS = [
    by_key,
    by_minimum,
    by_compare,
    lambda step: {"key": 1}[Hostile(step)],
    lambda step: {1, Hostile(step)} - {"key"},
    lambda step: heapq.heappush([Hostile(step)], Hostile(step)),
    lambda step: [0, 1][Hostile(step) :],
    lambda step: "{:>10}".format(Hostile(step)),
    lambda step: "%d" % Hostile(step),
    lambda step: "abc".translate(Hostile(step)),
    lambda step: re.sub("(b)", lambda found: step(), "abc"),
    lambda step: json.dumps({"a": [Hostile(step)]}, default=lambda one: step()),
    lambda step: json.loads('{"a": {"b": 1}}', object_hook=lambda one: step()),
    lambda step: list(map(lambda one: step(), [1])),
    lambda step: list(filter(lambda one: step(), [1])),
    lambda step: list(iter(lambda: step(), 3)),
    lambda step: list(itertools.groupby([1, 2], key=lambda one: step())),
    lambda step: list(itertools.accumulate([1, 2], lambda one, two: step())),
    lambda step: functools.reduce(lambda one, two: step(), [1, 2]),
    lambda step: Missing()[step],
    lambda step: dict(**Hostile(step)),
    lambda step: [*Hostile(step)],
    lambda step: array.array("i", Hostile(step)),
    lambda step: operator.contains([1, 2], Hostile(step)),
    lambda step: open(Hostile(step)),
    lambda step: string.Template("$a").substitute(Hostile(step)),
    lambda step: print("x", file=Hostile(step)),
    lambda step: any(step() for _ in [1]),
    lambda step: __import__("bisect").bisect([1], Hostile(step)),
    lambda step: setattr(Setter(step), "x", 1),
]


class Setter:
    def __init__(self, step):
        object.__setattr__(self, "step", step)

    def __setattr__(self, name, value):
        self.step()


def go(number, way):
    """Call a step with what calls the next one."""
    if number == len(STEPS):
        deathbed.die(way)
    return STEPS[number](lambda: go(number + 1, way))


if __name__ == "__main__":
    go(0, deathbed.prepare("raise"))
