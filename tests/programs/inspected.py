# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "inspected-race", "arguments": ["race"]}
# corpus: {"name": "inspected-loops", "arguments": ["loops"]}
# corpus: {"name": "inspected-groups", "arguments": ["groups"], "oldest": [3, 11]}
# corpus: {"name": "inspected-collector", "arguments": ["collector"]}
# corpus: {"name": "inspected-generators", "arguments": ["generators"]}
# corpus: {"name": "inspected-handling", "arguments": ["handling"]}
"""Die in what CPython's own test of reading another process looks at (test_external_inspection).

Each situation there, as a program of our own: a staggered race, an event loop in each of two
threads, task groups below each other, a collection that runs a callback, generators of all kinds
that delegate, and threads that handle exceptions.
"""

import asyncio
import contextlib
import gc
import sys
import threading
from asyncio import staggered

import deathbed


async def sleeping():
    await asyncio.sleep(900)


async def slow():
    await sleeping()


async def deepest(way, depth):
    if depth:
        return await deepest(way, depth - 1)
    for _ in range(20):  # the others get as far as they can, by turns of the loop
        await asyncio.sleep(0.001)
    return deathbed.die(way)


async def race(way):
    async def doomed():
        await deepest(way, 3)

    await staggered.staggered_race([slow, doomed, slow], delay=0.001)


def loops(way):
    """Run a loop here and one in a thread."""
    started = threading.Event()

    async def other():
        task = asyncio.ensure_future(slow())
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(started.set)
        await task

    threading.Thread(target=lambda: asyncio.run(other()), daemon=True).start()
    started.wait()
    asyncio.run(deepest(way, 2))


async def groups(way):
    async with asyncio.TaskGroup() as outer:
        outer.create_task(slow(), name="outer")
        async with asyncio.TaskGroup() as inner:
            inner.create_task(slow(), name="inner")
            inner.create_task(deepest(way, 1), name="doomed")


class Circle:
    def __init__(self):
        self.me = self


def collector(way):
    def callback(phase, info):
        if phase == "stop":
            deathbed.die(way)

    Circle()
    gc.callbacks.append(callback)
    gc.collect()


def generators(way):
    def innermost():
        yield 1
        deathbed.die(way)
        yield 2

    def delegating():
        yield from innermost()

    @contextlib.contextmanager
    def managed():
        yield delegating()

    async def asynchronous():
        for value in delegating():
            yield value

    async def consume():
        with managed() as values:
            next(values)
            return [value async for value in asynchronous()]

    asyncio.run(consume())


def handling(way):
    def held():
        try:
            raise KeyError("handled")
        except KeyError:
            deathbed.parked.append(None)
            threading.Event().wait()

    threading.Thread(target=held, daemon=True).start()
    threading.Thread(target=held, daemon=True).start()
    deathbed.gather(2)
    try:
        raise ValueError("outer")
    except ValueError:
        try:
            raise TypeError("inner")
        except TypeError:
            deathbed.die(way)


def main():
    way = deathbed.prepare("raise")
    situation = {"race": race, "groups": groups}.get(sys.argv[2])
    if situation is not None:
        asyncio.run(situation(way))
    else:
        globals()[sys.argv[2]](way)


if __name__ == "__main__":
    main()
