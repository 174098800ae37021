# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die below functions with every kind of argument, cell and free variable."""

import functools

import deathbed
from values import dying


def none(way=None):
    return positional_only(1, 2, way)


def positional_only(first, second=20, way=None, /):
    return keyword_only(way=way, given="g")


def keyword_only(*, way, given, default=None, missing="m"):
    return every(1, 2, 3, 4, 5, only=6, way=way, other=7, **{"not a name": 8})


def every(a, b=0, /, c=1, d=2, *rest, only, unset=3, way, **words):
    return no_extras(1, way=way)


def no_extras(first, *rest, way, **words):
    del first
    return rebound(way, [1])


def rebound(way, items):
    items, old = {"re": "bound"}, items
    for number, letter in enumerate("abc"):
        later = number
    del later
    return closure(way)(5)


def closure(way):
    captured, changed, unbound = [1], 0, None
    del unbound

    def inner(argument, *, key="k"):
        nonlocal changed
        changed += 1

        def innermost(deep=(captured, changed)):
            used = captured, argument, key
            try:
                return Owner(way).method("m")
            finally:
                used = unbound

        return innermost()

    return inner

    unbound = 1


class Owner:
    def __init__(self, way):
        self.way = way.name
        self.__private = way

    def __repr__(self):
        return super().__repr__()[:0]

    def method(self, text):
        way = self.__private
        mangled = __class__
        return Owner.of_class(way, text)

    @classmethod
    def of_class(cls, way, text):
        return cls.static(way)

    @staticmethod
    def static(way):
        return comprehensions(way, [10, 20])


def comprehensions(way, numbers):
    outer = "o"
    return [one for one in numbers if by_lambda(way, one, outer)]


def by_lambda(way, one, outer):
    return (lambda x, y=2, *z, w=4: with_loops(way))(1)


def with_loops(way):
    """Counters of loops are tagged ints in some versions."""
    total, count = 0, 0
    for count in range(3):
        for index, item in enumerate((1.5, None)):
            total += index
            if count == 2 and index:
                return generator_frame(way)


def generator_frame(way):
    def produce(start):
        mark = "in a generator"
        yield wrapped(way, start)

    return list(produce(start=3))


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = None
        return function(*args, **kwargs)

    return wrapper


@decorated
def wrapped(way, start):
    wide = {f"name_{n}": n for n in range(5)}
    return deleted_later(way, **wide)


def deleted_later(way, name_0, name_1, **rest):
    try:
        raise ValueError("caught")
    except ValueError as error:
        kept = str(error)
    import_here = functools
    sorted([3, 1], key=lambda item: item == 1 and dying(way, None))


if __name__ == "__main__":
    none(deathbed.prepare("raise"))
