# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below coroutines without any event loop: async generators, `__await__`, athrow, aclose."""

import types

import deathbed


class Awaitable:
    """An object whose await runs a generator."""

    def __init__(self, action):
        self.action = action

    def __await__(self):
        yield from [1]
        return self.action()


@types.coroutine
def old_style(way):
    yield 2
    return (yield from Awaitable(lambda: counting_down(way)).__await__())


class Stream:
    """An async iterator that is no generator."""

    def __init__(self, way):
        self.way = way

    def __aiter__(self):
        return self

    async def __anext__(self):
        return await old_style(self.way)


async def numbers(way):
    try:
        yield 1
        async for item in Stream(way):
            yield item
    finally:
        pass


async def outer(way):
    return [pair async for one in numbers(way) for pair in [await double(one)]]


async def double(one):
    return one * 2


def counting_down(way):
    return drive(throwing(way))


async def throwing(way):
    inside = catching(way)
    await inside.asend(None)
    await inside.athrow(KeyError(1))


async def catching(way):
    try:
        yield 1
    except KeyError:
        await closing(way)


async def closing(way):
    generator = cleaning(way)
    await generator.asend(None)
    await generator.aclose()


async def cleaning(way):
    try:
        yield
    finally:
        await Context(way).enter()


class Context:
    def __init__(self, way):
        self.way = way

    async def __aenter__(self):
        return deathbed.die(self.way)

    async def __aexit__(self, *error):
        return None

    async def enter(self):
        async with self:
            pass


def drive(coroutine):
    """Run a coroutine to its end; what it yields is thrown away."""
    while True:
        try:
            coroutine.send(None)
        except StopIteration:
            return


if __name__ == "__main__":
    drive(outer(deathbed.prepare("raise")))
