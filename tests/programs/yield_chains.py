# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die at the end of a long `yield from` chain, below throw() and close() of generators."""

import deathbed

DEPTH = 150


def chain(depth, way):
    try:
        if depth:
            yield from chain(depth - 1, way)
        else:
            yield 1
    except KeyError:
        # Thrown from outside; the whole chain is suspended but for the innermost.
        closing(way)


def closing(way):
    generator = delegating(way)
    next(generator)
    next(generator)
    generator.close()


def delegating(way):
    yield 1
    yield from cleaning(way)


def cleaning(way):
    try:
        yield 2
    finally:
        for _ in mixed(way):
            pass


class Delegate:
    """A delegate that is no generator: send and throw are methods."""

    def __init__(self, way):
        self.way = way

    def __iter__(self):
        return self

    def __next__(self):
        return 1

    def send(self, value):
        return self.__next__()

    def throw(self, kind, value=None, traceback=None):
        return next(item for item in map(self.last, (self.way,)))

    def last(self, way):
        return [*unpacked(way)]


def mixed(way):
    inside = to_delegate(way)
    next(inside)
    inside.throw(ValueError())
    yield


def to_delegate(way):
    yield from Delegate(way)


def unpacked(way):
    yield 1
    first, *rest = started(way)
    yield first, rest


def started(way):
    yield deathbed.die(way)


if __name__ == "__main__":
    long = chain(DEPTH, deathbed.prepare("raise"))
    next(long)
    long.throw(KeyError())
