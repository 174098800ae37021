# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die with a little of everything in memory: values, exceptions, tasks, a held lock, threads."""

import asyncio
import collections
import datetime
import decimal
import fractions
import functools
import threading
import uuid

import deathbed

held = threading.Lock()
held.acquire()
owned = threading.RLock()
KEPT = []


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left, self.right = left, right


class Failure(Exception):
    pass


def wait_for_lock():
    deathbed.parked.append(1)
    held.acquire()


def handle_for_ever():
    try:
        {}["missing"]
    except KeyError:
        try:
            raise Failure("while handling", 1) from ValueError("cause")
        except Failure:
            deathbed.parked.append(1)
            held.acquire()


async def inner(future):
    words = ["in", "a", "task"]
    await future
    return words


async def outer(future):
    await inner(future)


def scalars(way):
    none, yes, small, big, minus = None, True, 7, 1 << 200, -(1 << 70)
    real, odd, pair = 3.25, float("nan"), complex(1, -2)
    text, wide, raw, array = "text", "\u20ac\U0001f40d", b"\0raw", bytearray(b"array")
    ellipsis, numbers, cut = ..., range(1, 100, 3), slice(1, None, 2)
    return containers(way, 1, 2, key="word")


def containers(way, /, *args, key=None, **rest):
    items, pair, table = [1, [2, [3]]], ("a", 1.5), {"k": {"n": [1, 2]}, 5: None}
    items.append(items)
    some, fixed = {1, "two", 3.0}, frozenset((1, 2))
    ends, counts = collections.deque([1, 2], 5), collections.Counter("abca")
    ordered = collections.OrderedDict(a=1, b=2)
    default = collections.defaultdict(list, x=[1])
    point = collections.namedtuple("Point", "x y")(1, 2)
    slotted, part = Slotted(1, "r"), functools.partial(print, 1)
    day, money = datetime.datetime(2024, 2, 29, 12, 30), decimal.Decimal("1.10")
    third, unique = fractions.Fraction(1, 3), uuid.UUID(int=5)
    view, kind, method = memoryview(b"view"), Slotted, items.append
    walker = (n for n in items)
    next(walker)
    try:
        raise Failure("told")
    except Failure as error:
        kept = error
        deathbed.die(way)


async def main(way):
    future = asyncio.get_running_loop().create_future()
    KEPT.append(asyncio.ensure_future(outer(future)))
    KEPT.append(asyncio.ensure_future(asyncio.gather(inner(future), inner(future))))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    with owned:
        scalars(way)


if __name__ == "__main__":
    for target in (wait_for_lock, handle_for_ever):
        threading.Thread(target=target, name=target.__name__, daemon=True).start()
    way = deathbed.prepare("kill")
    deathbed.gather(2)
    asyncio.run(main(way))
