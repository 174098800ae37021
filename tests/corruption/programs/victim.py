# SPDX-License-Identifier: Apache-2.0
"""A live CPython to damage: says where its objects are, waits inside calls, then uses them all.

Arguments: the scene library, "c" or "read" (where it waits), seconds to go on.
"""

import collections
import ctypes
import gc
import heapq
import json
import os
import string
import sys
import textwrap
import threading
import time

LIBRARY, WAY, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
SCENE = ctypes.CDLL(LIBRARY)
ASKED, ANSWER = 1, 0  # file descriptors


class Point:
    __slots__ = ("name", "values", "x", "y")

    def __init__(self, x, y):
        self.x, self.y, self.name, self.values = x, y, "point-%d" % x, (x, y, str(y) + "#")

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __hash__(self):
        return self.x

    def __eq__(self, other):
        return self.x == other.x

    def __lt__(self, other):
        return self.x < other.x

    def __repr__(self):
        return "<%s>" % self.name

    def __call__(self, times):
        return [self.y] * times

    def __getitem__(self, key):
        return self.values[key]

    def __len__(self):
        return 3


class Account:
    fees = {"open": 1.5, "close": 2.5}

    def __init__(self, number):
        self.number, self.owner, self.history = number, "owner %d" % number, [number, "start"]
        self.link = None

    @property
    def total(self):
        return sum(len(str(x)) for x in self.history)

    def step(self, factor):
        charge = self.fees["open"] * factor
        label = "{}:{}:{}".format(self.owner, charge, "constant text")
        return (label, charge, self.number, "another constant")


POINTS = [Point(i, 3 * i) for i in range(300)]
TABLE = {"key-%d" % i: Account(i) for i in range(300)}
NUMBERS = {i * 7: [i] for i in range(200)}
PLACES = tuple(Point(1000 + i, i) for i in range(64))
UNIQUE = {Point(5000 + i, i) for i in range(100)}
for number, account in enumerate(TABLE.values()):
    account.link = TABLE["key-%d" % ((number + 1) % 300)]
BLOCKS = [b"%0180d" % i for i in range(400)]
FREED = [id(BLOCKS[i]) for i in range(0, 400, 2)]
BLOCKS = BLOCKS[1::2]


def adder(start):
    kept = Point(start, start)

    def add(value):
        return kept + value

    return add


def source(points):
    for point in points:
        got = yield point.name
        if got is None:
            yield point.x


ADDERS = [adder(i) for i in range(50)]
RUNNING = [source(POINTS) for _ in range(20)]
for one in RUNNING:
    next(one)
QUEUE = collections.deque(Point(i, i) for i in range(100))


def touch(scale):
    total = 0
    for point in POINTS:
        total += len(repr(point)) + point[0] + len(point) + hash(point) + len(point(2))
    for key, account in TABLE.items():
        total += len(key) + account.total + len(account.step(scale)) + account.link.number
        total += len(TABLE[key].owner)
    for key, value in NUMBERS.items():
        total += NUMBERS[key][0] + len(value)
    for place in PLACES:
        total += place.x + len(place.name.upper()) + len("-".join((place.name, place.values[2])))
    for place in UNIQUE:
        total += place.y if place in UNIQUE else 0
    for add in ADDERS:
        total += add(POINTS[3]).x
    for number, one in enumerate(RUNNING):
        try:
            total += len(str(one.send(None)))
        except StopIteration:
            RUNNING[number] = source(POINTS)
            next(RUNNING[number])
    total += len(sorted(POINTS)) + QUEUE[0].x
    QUEUE.rotate(1)
    return total


def library():
    text = json.dumps({"a": [1, 2, {"b": None}], "c": "text %d" % len(POINTS)}, indent=1)
    wrapped = textwrap.wrap(text * 3, width=30)
    filled = string.Template("$a and ${b}").substitute(a=1, b=wrapped[0])
    counted = collections.Counter(filled + text)
    return len(list(heapq.merge([1, 2], [3]))) + len(counted.most_common(3))


def allocate():
    more = [b"%0180d" % i for i in range(300)]
    kept = [Account(i) for i in range(100)]
    return len(more) + len(kept)


def work():
    end = time.process_time() + SECONDS
    rounds = 0
    while time.process_time() < end:
        touch(1 + rounds % 3)
        library()
        allocate()
        if rounds % 4 == 1:
            gc.collect()
        if rounds % 2:
            SCENE.scene_work(3)
        rounds += 1


def codes():
    own = [touch, work, allocate, Account.step, Point.__repr__, Point.__hash__, library, descend]
    others = [heapq.merge, textwrap.wrap, json.dumps, collections.Counter.most_common]
    return [id(f.__code__) for f in own], [id(f.__code__) for f in others]


def report():
    own, others = codes()
    cells = [f.__closure__[0] for f in ADDERS]
    return {
        "version": list(sys.version_info[:2]),
        "ident": threading.get_ident(),
        "globals": id(globals()),
        "list": id(POINTS),
        "items": [id(x) for x in POINTS],
        "dict": id(TABLE),
        "keys": [id(x) for x in TABLE],
        "values": [id(x) for x in TABLE.values()],
        "numbers": id(NUMBERS),
        "tuple": id(PLACES),
        "places": [id(x) for x in PLACES],
        "set": id(UNIQUE),
        "members": [id(x) for x in UNIQUE],
        "names": [id(x.name) for x in POINTS],
        "tuples": [id(x.values) for x in POINTS],
        "owners": [id(x.owner) for x in TABLE.values()],
        "histories": [id(x.history) for x in TABLE.values()],
        "freed": FREED,
        "blocks": [id(x) for x in BLOCKS],
        "cells": [id(x) for x in cells],
        "kept": [id(x.cell_contents) for x in cells],
        "adders": [id(x) for x in ADDERS],
        "generators": [id(x) for x in RUNNING],
        "deque": id(QUEUE),
        "codes": own,
        "library_codes": others,
        "consts": [id(f.__code__.co_consts) for f in (touch, library, Account.step)],
        "const_items": [
            [id(x) for x in f.__code__.co_consts] for f in (touch, library, Account.step)
        ],
        "types": [id(Point), id(Account)],
        "static_types": [id(list), id(str), id(dict), id(tuple), id(int)],
        "methods": [id(getattr(str, "__dict__")[n]) for n in ("join", "upper", "format")],
        "properties": [id(Account.__dict__["total"])],
        "members_of": [id(Point.__dict__[n]) for n in ("x", "y", "name")],
        "builtins": [id(len), id(repr), id(sum), id(sorted)],
        "locals": [id(x) for x in HELD],
    }


HELD = []


def pause():
    if WAY == "read":
        os.write(ASKED, (json.dumps({"python": report()}) + "\n").encode())
        os.read(ANSWER, 1)
    else:
        os.write(ASKED, (json.dumps({"python": report()}) + "\n").encode())
        SCENE.scene_wait(ASKED, ANSWER)


def descend(depth, parent):
    mine = Point(depth, depth)
    held = [mine, parent]
    note = "depth %d" % depth
    HELD.extend((mine, held, note))
    if depth:
        below = descend(depth - 1, mine)
    else:
        pause()
        below = 0
    return below + mine.y + held[1].x + len(note)


gc.collect()
descend(8, POINTS[0])
work()
os._exit(0)
