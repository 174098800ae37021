# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with frames, generators, iterators, descriptors and other machinery among the locals."""

import _thread
import collections
import contextlib
import contextvars
import ctypes
import functools
import itertools
import logging
import operator
import random
import re
import string
import struct
import sys
import traceback
import types
import weakref

import deathbed
from values import dying


class OwnNumber(ctypes.c_int):
    pass


class Ordinary:
    kept = 1

    def method(self):
        return self

    @classmethod
    def of_class(cls):
        return cls

    @staticmethod
    def static():
        return None

    @property
    def computed(self):
        return 1

    @functools.cached_property
    def cached(self):
        return 2


class Named:
    __name__ = "its own name"


class WeakList(list):
    pass


class Slotted:
    __slots__ = ("__weakref__", "value")


def counting(limit):
    for number in range(limit):
        received = yield number


def delegating():
    yield from counting(3)


async def waiting():
    await asleep()


@types.coroutine
def asleep():
    yield 1


async def async_counting():
    yield 1
    yield 2


def running(way):
    """A generator that is running while the process dies."""
    machinery(way)
    yield 1


def generators(way):
    fresh, suspended, ended = counting(3), counting(3), counting(0)
    next(suspended), list(ended)
    inner = delegating()
    next(inner)
    closed = counting(3)
    next(closed), closed.close()
    coroutine, coroutine_new = waiting(), waiting()
    coroutine.send(None)
    asynchronous = async_counting()
    step = asynchronous.__anext__()
    awaiting = coroutine_new.__await__()
    expression = (letter for letter in "abc")
    next(expression)
    wrapped = contextlib.contextmanager(counting)(2)
    now_running = running(way)
    next(now_running)
    return locals()


def machinery(way):
    own_frame, outer_frame = sys._getframe(), sys._getframe(1)
    fresh_frame, done_frame = counting(2).gi_frame, finished_frame()
    instance, slotted, named = Ordinary(), Slotted(), Named()
    live, live_class = weakref.ref(instance), weakref.ref(Ordinary)
    live_named, live_function = weakref.ref(named), weakref.ref(counting)
    with_callback = weakref.ref(slotted, print)
    dead, dead_proxy = weakref.ref(WeakList()), None
    method_reference = weakref.WeakMethod(instance.method)
    weak_set, weak_values = weakref.WeakSet([instance]), weakref.WeakValueDictionary(a=instance)
    weak_keys = weakref.WeakKeyDictionary({instance: 1})
    finalizer = weakref.finalize(instance, print)
    finalizer.detach()
    try:
        raise KeyError("raised")
    except KeyError as caught:
        error, trace = caught, caught.__traceback__
    summary = traceback.extract_tb(trace)
    empty_cell, cell = types.CellType(), types.CellType(5)
    cell_of_instance = types.CellType(instance)
    variable, variable_default = contextvars.ContextVar("v"), contextvars.ContextVar("d", default=3)
    context = contextvars.Context()
    token = variable.set(5)
    used_token = variable.set(6)
    variable.reset(used_token)
    iterators(way)
    return locals()


def finished_frame():
    return sys._getframe()


def iterators(way):
    count, count_step, count_big = itertools.count(), itertools.count(2, 3), itertools.count(2**70)
    count_float = itertools.count(0.5, 0.25)
    next(count_step)
    repeat, repeat_some = itertools.repeat("x"), itertools.repeat("y", 3)
    chain, cycle = itertools.chain([1], [2]), itertools.cycle("ab")
    lists, tuples, dicts = iter([1]), iter((1,)), iter({1: 2})
    dict_values, dict_items = iter({1: 2}.values()), iter({1: 2}.items())
    sets, strings, ranges = iter({1}), iter("abc"), iter(range(3))
    big_ranges, raw, buffer = iter(range(2**70)), iter(b"abc"), iter(bytearray(b"x"))
    backwards, backwards_list = reversed((1, 2)), reversed([1])
    numbered, zipped, mapped = enumerate("ab"), zip("ab", "cd"), map(str, [1])
    filtered, called = filter(None, [1]), iter(int, 1)
    matches = re.finditer("a", "aaa")
    groups, product = itertools.groupby("aab"), itertools.product("ab", repeat=2)
    unpacking = struct.iter_unpack("<H", b"abcd")
    callables(way)
    return locals()


def callables(way):
    part, part_words = functools.partial(int, base=2), functools.partial(print, "a", sep="")
    nested_part = functools.partial(part, "10")
    own_part = type("OwnPart", (functools.partial,), {})(len, "x")
    part_method = functools.partialmethod(print, 1)
    memo = functools.lru_cache(maxsize=None)(counting)
    single = functools.singledispatch(counting)
    getter, getters = operator.itemgetter(1), operator.itemgetter(1, "b")
    attribute, attributes = operator.attrgetter("a.b"), operator.attrgetter("a", "c")
    caller = operator.methodcaller("name", 1, key="x")
    bound, of_class, static = Ordinary().method, Ordinary.of_class, Ordinary.static
    class_method, static_method = vars(Ordinary)["of_class"], vars(Ordinary)["static"]
    computed, cached = vars(Ordinary)["computed"], vars(Ordinary)["cached"]
    slot_wrapper, method_wrapper = int.__add__, (1).__add__
    builtin_class_method, class_method_descriptor = dict.fromkeys, dict.__dict__["fromkeys"]
    member, getset = Slotted.value, type.__dict__["__dict__"]
    new, builtin_method = object.__new__, "abc".upper
    method_of_module, method_of_own = collections.deque().append, type("Own", (list,), {})().append
    own_lock = type("OwnLock", (_thread.RLock,), {})()
    own_static = type("OwnStatic", (staticmethod,), {})(len)
    own_class = type("OwnClass", (classmethod,), {})(len)
    upper = super(Ordinary, Ordinary())
    structure = struct.Struct("<HI")
    source, logger = random.Random(1), logging.getLogger("some.logger")
    root_logger, handler = logging.getLogger(), logging.NullHandler()
    template, formatter = string.Template("$x"), string.Formatter()
    patterns(way)
    return locals()


def patterns(way):
    pattern, flagged = re.compile(r"a(b)c"), re.compile("x", re.I | re.M | re.S)
    raw_pattern, verbose = re.compile(rb"\d+"), re.compile("a b", re.X | re.A)
    long_pattern, quoted = re.compile("abc" * 100), re.compile("it's")
    match, raw_match = pattern.search("xxabcxx"), raw_pattern.match(b"123")
    long_match = re.match("a*", "a" * 200)
    flags = re.I | re.M
    one_flag, no_flag = re.I, re.RegexFlag(0)
    chained = collections.ChainMap({"a": 1}, {"b": [2]})
    user_dict, user_list = collections.UserDict(a=1), collections.UserList([1, 2])
    user_text = collections.UserString("text")
    proxy, space = types.MappingProxyType({"k": [1]}), types.SimpleNamespace()
    space.self = space
    ordered = collections.OrderedDict(a=1, b=2)
    views = ordered.keys(), ordered.values(), ordered.items()
    abstract = collections.abc.Mapping
    module = types.ModuleType("made_here")
    documented = types.ModuleType("documented", "text")
    main = sys.modules["__main__"]
    c_integers = (
        ctypes.c_int(-7),
        ctypes.c_ubyte(200),
        ctypes.c_longlong(-1 << 40),
        ctypes.c_size_t(5),
    )
    c_others = ctypes.c_double(0.1), ctypes.c_float(0.5), ctypes.c_bool(7), ctypes.c_char(b"x")
    c_pointers = (
        ctypes.c_void_p(),
        ctypes.c_void_p(4096),
        ctypes.c_char_p(),
        ctypes.c_char_p(b"y\xff"),
    )
    c_objects, c_own = (ctypes.py_object([1]), ctypes.py_object()), OwnNumber(3)
    dying(way, None)
    return locals()


if __name__ == "__main__":
    generators(deathbed.prepare("raise"))
