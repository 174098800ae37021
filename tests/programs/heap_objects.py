# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die with known objects of known types alive, others freed, and with known references to some."""

import collections
import gc
import sys

import deathbed


class Plain:
    def __init__(self, number):
        self.number = number


class Slotted:
    __slots__ = ("__weakref__", "left")

    def __init__(self, left):
        self.left = left


class Meta(type):
    pass


class Made(metaclass=Meta):
    pass


class Numbers(list):
    pass


class Pair(tuple):
    __slots__ = ()


class Never:
    pass


class Target:
    """The object that everything refers to."""


class Holder:
    def __init__(self, held):
        self.held = held

    def method(self):
        return self.held


def closure(held):
    def inner():
        return held

    return inner


def suspended(held):
    kept = [1]
    yield kept
    yield held


ATOMS = {
    "text": "needle-in-a-haystack",
    "wide": "needle-with-\u20ac-in-it",
    "astral": "needle-with-\U0001f40d-in-it",
    "data": b"needle-of-bytes\x00\xff",
}


def build():
    """Return everything that is kept, by name."""
    target = Target()
    alive = {
        "Plain": [Plain(number) for number in range(300)],
        "Slotted": [Slotted(number) for number in range(150)],
        "Made": [Made() for _ in range(40)],
        "Numbers": [Numbers([number]) for number in range(30)],
        "Pair": [Pair((number, str(number))) for number in range(25)],
        "deque": [collections.deque([number]) for number in range(12)],
    }
    freed = [Plain(number) for number in range(200)] + [Slotted(None) for _ in range(90)]
    del freed[::2]
    del freed
    holders = {
        "a list": [1, target, 2],
        "a tuple": ("x", target),
        "a dict": {"key": target, 7: 7},
        "a mixed dict": {("k", 1): 1, 5: target},
        "a set": {target, 1},
        "a deque": collections.deque([1, 2, target]),
        "an instance": Holder(target),
        "slots": Slotted(target),
        "a cell": closure(target).__closure__[0],
        "a bound method": Holder(target).method.__self__,
        "a long list": [None] * 5000 + [target],
        "a generator": suspended(target),
        "a class": type("Attributed", (), {"attribute": target}),
        "keyword defaults": (lambda *, default=target: default).__kwdefaults__,
    }
    next(holders["a generator"])
    return target, alive, holders


def referrers(target, holders):
    """Return the ids of what refers to the target, as the collector sees it, by what it is."""
    gc.collect()
    known = {id(value): name for name, value in holders.items()}
    found = []
    for one in gc.get_referrers(target):
        found.append([id(one), type(one).__name__, known.get(id(one))])
    return found


def dying(way, target, alive, holders, module_level):
    local = target
    facts = {
        "ids": {name: [id(one) for one in kept] for name, kept in alive.items()},
        "types": {name: id(type(kept[0])) for name, kept in alive.items()},
        "never": id(Never),
        "lists": [id(one) for one in gc.get_objects() if type(one) is list],
        "target": id(target),
        "holders": {name: id(one) for name, one in holders.items()},
        "referrers": referrers(target, holders),
        "atoms": {name: id(one) for name, one in ATOMS.items()},
        "module_dict": id(globals()),
        "type_count": len([one for one in gc.get_objects() if isinstance(one, type)]),
        "heap_types": [id(one) for one in gc.get_objects() if isinstance(one, type)],
    }
    deathbed.die(way, facts=facts)
    return local, module_level


if __name__ == "__main__":
    sys.setrecursionlimit(500)
    way = deathbed.prepare("raise")
    target, alive, holders = build()
    dying(way, target, alive, holders, target)
