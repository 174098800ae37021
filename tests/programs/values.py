# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die with locals, arguments, cells and free variables of many types, whose repr is the truth."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import pathlib
import sys
import threading
import time
import types
import uuid

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


class SetChild(frozenset):
    pass


class ListChild(list):
    pass


class DequeChild(collections.deque):
    pass


class DefaultChild(collections.defaultdict):
    pass


class Odd(int):
    def __repr__(self):
        return "odd!"


class Ordinary:
    """Its repr is object's own."""

    class Nested:
        pass

    def method(self):
        return self

    def running(self):
        yield 1


class SlotsOnly:
    __slots__ = ("first", "second")


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


class Number(enum.IntEnum):
    ONE = 1


class Access(enum.Flag):
    READ = 4
    WRITE = 2


@dataclasses.dataclass
class Data:
    name: str
    parts: list = dataclasses.field(default_factory=list)
    secret: int = dataclasses.field(default=7, repr=False)


class DataChild(Data):
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
    kinds = {}
    for number, name in enumerate(arguments):
        kind = "positional-only" if number < code.co_posonlyargcount else "positional-or-keyword"
        kinds[name] = kind if number < code.co_argcount else "keyword-only"
    rest = list(arguments[code.co_argcount + code.co_kwonlyargcount :])
    if code.co_flags & 4:
        kinds[rest.pop(0)] = "var-positional"
    if code.co_flags & 8:
        kinds[rest.pop(0)] = "var-keyword"
    return {"function": code.co_name, "file": code.co_filename, "kinds": kinds, **grouped}


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
    quoted, both = bytearray(b"\x00\x01'"), bytearray(b"'\"")
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
    more_containers(way)
    return locals()


def more_containers(way):
    big_set, wide = set(range(1000, 1080)), {str(number): number for number in range(300)}
    removed = set("abcdefgh")
    removed.discard("a")
    set_child, list_child = SetChild("x"), ListChild([1])
    long_queue = collections.deque(range(200))
    long_queue.rotate(70)
    no_queue, child_queue = collections.deque(), DequeChild("ab")
    own_loop = collections.deque([1])
    own_loop.append(own_loop)
    table = {}
    table["self"] = table
    moved = collections.OrderedDict(a=1, b=2, c=3)
    moved.move_to_end("a")
    no_order, no_count = collections.OrderedDict(), collections.Counter()
    mixed = collections.Counter({"low": 1, "high": 9, "also high": 9})
    no_default = collections.defaultdict(None, {1: 2})
    default_child = DefaultChild(list, a=[1])
    keys, view, items = {"k": 1}.keys(), {"k": [2]}.values(), {"k": 3}.items()
    proxy, space = types.MappingProxyType({"a": 1}), types.SimpleNamespace(a=1, b="x")
    empty_span, plain_span = range(0), range(2, 2**70)
    split = Ordinary()
    split.one, split.two, split.three = 1, 2, 3
    del split.one
    split.one = "again"
    shared = split.__dict__
    part = functools.partial(len, [1, 2], 3, key=4)
    library(way)
    return locals()


def library(way):
    red, blue, one, read = Color.RED, Color.BLUE, Number.ONE, Access.READ
    enumeration, flags = Color, Access
    third, whole = fractions.Fraction(1, 3), fractions.Fraction(-4)
    ident = uuid.UUID(int=0x1234567890ABCDEF)
    relative, absolute = pathlib.PurePosixPath("a/./b//c"), pathlib.Path("/tmp") / "x.py"
    here, asked = pathlib.PurePosixPath(), pathlib.PurePosixPath("x") / "y"
    asked_text = str(asked)
    texts = "0 -0.00 1E+5 1E-10 NaN -sNaN12 Infinity 1234567890123456789012345.5".split()
    decimals = [decimal.Decimal(text) for text in texts]
    big_decimal = decimal.Decimal(10) ** 25
    utc = datetime.timezone.utc
    zone = datetime.timezone(datetime.timedelta(hours=5, minutes=30), "IST")
    west = datetime.timezone(-datetime.timedelta(hours=8))
    clock, noon = datetime.time(1, 2, 3, 4, tzinfo=utc), datetime.time(12)
    folded = datetime.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=zone)
    no_time, micro = datetime.timedelta(), datetime.timedelta(microseconds=-1)
    floats, no_array = array.array("d", [0.5, -1]), array.array("L")
    data, data_child = Data("n", [1]), DataChild("child")
    nested = [Color.RED, {"when": datetime.date(2024, 1, 2)}, Data("in", ["x"])]
    plumbing(way)
    return locals()


def plumbing(way):
    ordinary, child_dict, slots_only = Ordinary(), IntChild(3), SlotsOnly()
    slots_only.second = "two"
    child_dict.extra = "attribute"
    function, anonymous, method = variables, lambda: way, ordinary.method
    builtin, builtin_method = len, [].append
    nested_class, meta, base_error = Ordinary.Nested, type, ValueError
    built_in_module, file_module = sys, collections
    code, text_code = variables.__code__, compile("1", "<string>", "eval")
    generator = ordinary.running()
    next(generator)
    anything, not_done = object(), NotImplemented
    descriptor, property_ = SlotsOnly.first, property(len)
    wrapper, method_descriptor = int.__repr__, str.join
    iterator, zipped = iter([1]), zip()
    lock, held = threading.Lock(), threading.Lock()
    held.acquire()
    reentrant, twice = threading.RLock(), threading.RLock()
    twice.acquire(), twice.acquire()
    thread, condition, event = threading.current_thread(), threading.Condition(), threading.Event()
    unstarted = threading.Thread(name="never", target=len, daemon=True)
    spec = collections.__spec__
    when, version = time.gmtime(0), sys.version_info
    class_of_instance, none_type = type(threading.Event()), type(None)
    errors = [KeyError("k"), OSError(2, "gone", "file"), Exception(), StopIteration((1, 2))]
    try:
        "\u1234".encode("ascii")
    except UnicodeEncodeError as caught:
        unicode_error = caught
    odd = [Odd(1), "after"]
    view = memoryview(b"abc")

    class Body:
        inner, other = 1, "body"
        result = [others(way) for hidden in ("h",)]

    return locals()


def others(way):
    money = decimal.Decimal("-12.340")
    day, moment = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30, 59, 7)
    delta = datetime.timedelta(days=-1, seconds=5)
    numbers = array.array("i", [1, -2])
    error = ValueError("bad", 1)
    plain, slots, klass, module_type = Plain(), Slots(), Plain, type(sys)
    comprehended = [arguments(1, 2, 3, 4, key="k", extra=None, way=way) for inner in (5,)]
    return locals()


def arguments(first, second=0, /, third=1, *rest, key, unset=5, way, **more):
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
