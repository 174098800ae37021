# SPDX-License-Identifier: Apache-2.0
"""Die with locals, arguments, cells and free variables of many types, whose repr is the truth.

But for the function `inside`, no repr holds an address.
"""

import array
import collections
import datetime
import decimal
import sys

import deathbed

Point = collections.namedtuple("Point", "x y")


class Plain:
    def __init__(self):
        self.one = 1
        self.name = "wörld"

    def __repr__(self):
        return "Plain()"


class Slots:
    __slots__ = ("left", "right")

    def __init__(self):
        self.left = (1, 2)

    def __repr__(self):
        return "Slots()"


class IntChild(int):
    pass


class StrChild(str):
    pass


class DictChild(dict):
    pass


def variables(frame):
    """Return the truth about one frame's variables, each as [type name, repr], by kind."""
    code = frame.f_code
    values = {
        name: [type(value).__name__, repr(value)]
        for name, value in frame.f_locals.items()
        if name != "way"
    }
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
    arguments = code.co_varnames[:count]
    names = {
        "arguments": arguments,
        "cells": [name for name in code.co_cellvars if name not in arguments],
        "free": code.co_freevars,
    }
    grouped = {kind: {n: values.pop(n) for n in of if n in values} for kind, of in names.items()}
    grouped["locals"] = values
    return {"function": code.co_name, "file": code.co_filename, **grouped}


def numbers(way):
    zero, one, minus = 0, 1, -1
    digit, two_digits = 2**30 - 1, -(2**30)
    big, huge, negative = 2**64 + 1, 2**90, -(3 * 2**90) + 7
    giant = 10**400
    true, false, none, dots = True, False, None, ...
    third, tiny, million = 1 / 3, 5e-324, 1e6
    minus_zero, infinity, not_a_number = -0.0, float("-inf"), float("nan")
    complex_one = complex(1.5, -2)
    child = IntChild(77)
    texts(way)
    return locals()


def texts(way):
    empty, letter, plain = "", "x", "hello 'it' \"is\""
    latin, cyrillic, han, astral = "wörld", "привет", "日本", "😀 end"
    control, surrogate = "a\x00b\nc\x1b[31m", "lone \udc80"
    long = "abc" * 2000
    no_bytes, raw, buffer = b"", b"\x00\xff'\"text", bytearray(b"mutable\x7f")
    child = StrChild("child")
    containers(way)
    return locals()


def containers(way):
    nothing, single, pair = (), (1,), (1, (2.5, None))
    empty_list, numbers, loop = [], [1, [2, [3]]], ["self"]
    loop.append(loop)
    table, keyed = {"a": 1, "b": [2]}, {1: "one", (2, 3): "two", None: 4}
    deleted = {number: number for number in range(20)}
    for number in range(0, 20, 2):
        del deleted[number]
    unique, frozen, empty_set = {42}, frozenset((7,)), set()
    point, child = Point(1, "y"), DictChild(k=1)
    ordered, counted = collections.OrderedDict(z=1, a=2), collections.Counter("aab")
    queue = collections.deque([1, 2, 3], maxlen=5)
    default = collections.defaultdict(int, k=3)
    span, piece = range(1, 10, 3), slice(1, None)
    others(way)
    return locals()


def others(way):
    money = decimal.Decimal("-12.340")
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 59, 7)
    delta = datetime.timedelta(days=-1, seconds=5)
    numbers = array.array("i", [1, -2])
    error = ValueError("bad", 1)
    plain, slots, klass, module_type = Plain(), Slots(), Plain, type(sys)
    arguments(1, 2, 3, 4, key="k", extra=None, way=way)
    return locals()


def arguments(first, second=0, *rest, key, unset=5, way, **more):
    captured = [first]
    if first > 1000:
        never_assigned = 1

    def inside():
        own = captured
        try:
            return dying(way, own)
        finally:
            captured.append(second)

    inside()
    return never_assigned


def dying(way, own):
    frame, found = sys._getframe(), []
    while frame is not None:
        if frame.f_code.co_name != "<module>":
            found.append(variables(frame))
        frame = frame.f_back
    # Its own frame's truth is left out: these very variables are among its locals.
    facts = {"variables": found[1:]}
    deathbed.die(way, facts=facts)


if __name__ == "__main__":
    numbers(deathbed.prepare("raise"))
