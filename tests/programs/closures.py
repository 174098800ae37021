# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below closures and what functools makes of functions: caches, dispatch, partials."""

import functools
import operator

import deathbed


class Counting:
    """A decorator that is an object."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.calls = 0

    def __get__(self, instance, owner):
        return functools.partial(self, instance)

    def __call__(self, *args, **keywords):
        self.calls += 1
        return self.function(*args, **keywords)


def with_arguments(*outer, **options):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*inner, **keywords):
            nonlocal outer
            outer = (*outer, *inner)
            return function(*inner, **{**options, **keywords})

        return wrapper

    return decorate


@functools.singledispatch
def dispatched(value, way):
    return None


@dispatched.register(int)
def _(value, way):
    return cached(way, value)


@functools.lru_cache(maxsize=None)
def cached(way, value):
    return uncounted(way)


@Counting
@with_arguments("a", "b", flag=True)
@Counting
def uncounted(way, flag=False):
    return Owner(way).by_name


class Owner:
    def __init__(self, way):
        self.way = way

    @functools.cached_property
    def by_name(self):
        return operator.methodcaller("counted", depth=3)(self)

    @Counting
    def counted(self, depth):
        return functools.partialmethod(Owner.last, depth).__get__(self, Owner)()

    def last(self, depth):
        return nest(depth, self.way)()


def nest(depth, way):
    """Return a function that holds a function that holds a function, with cells between."""
    shared = [depth]

    def level(inner=None):
        shared.append(depth)
        if depth:
            return nest(depth - 1, way)()
        return (lambda *, die=deathbed.die: (lambda: die(way))())()

    return level


def trampoline(step, *args):
    while callable(step):
        step, args = step(*args), ()
    return step


if __name__ == "__main__":
    trampoline(lambda one: lambda: dispatched(1, one), deathbed.prepare("raise"))
