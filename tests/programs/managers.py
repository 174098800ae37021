# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below context managers: by class, by generator, stacked, on the way in and on the way out."""

import contextlib

import deathbed


class Entering:
    def __init__(self, way):
        self.way = way

    def __enter__(self):
        return by_generator(self.way)

    def __exit__(self, *error):
        return False


@contextlib.contextmanager
def generated(action, way):
    action(way)
    try:
        yield way
    finally:
        on_the_way_out(way)


def by_generator(way):
    with generated(lambda _: None, way) as one:
        assert one is way
        return 3


def on_the_way_out(way):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(KeyError))
        stack.callback(lambda: in_closing(way))
        stack.push(lambda *error: None)
        raise KeyError(1)


class Closable:
    def __init__(self, way):
        self.way = way

    def close(self):
        Decorating(self.way)(decorated)(self.way)


def in_closing(way):
    with contextlib.closing(Closable(way)), contextlib.suppress(ValueError):
        raise ValueError


class Decorating(contextlib.ContextDecorator):
    def __init__(self, way):
        self.way = way

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        drive(asynchronous(self.way))


def decorated(way):
    return None


@contextlib.asynccontextmanager
async def generated_async(way):
    try:
        yield way
    except LookupError:
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(last, way)


async def last(way):
    deathbed.die(way)


async def asynchronous(way):
    async with generated_async(way):
        raise IndexError


def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration:
        pass


if __name__ == "__main__":
    with Entering(deathbed.prepare("raise")):
        pass
