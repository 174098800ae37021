# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die in an event loop with what asyncio makes among the locals."""

import asyncio
import functools
import sys

import deathbed
from values import dying


class OwnFuture(asyncio.Future):
    pass


class OwnTask(asyncio.Task):
    pass


def called(*args):
    pass


async def forever():
    await asyncio.get_running_loop().create_future()


async def nothing():
    return 1


async def fails():
    raise ValueError("failed", 3)


async def futures(way):
    loop = asyncio.get_running_loop()
    pending, finished, cancelled = (loop.create_future() for _ in range(3))
    finished.set_result([1, "two"])
    cancelled.cancel()
    failed = loop.create_future()
    failed.set_exception(KeyError("k"))
    long = loop.create_future()
    long.set_result("x" * 200)
    one_callback, two_callbacks, three_callbacks = (loop.create_future() for _ in range(3))
    for future, count in ((one_callback, 1), (two_callbacks, 2), (three_callbacks, 4)):
        for _ in range(count):
            future.add_done_callback(called)
    part_callback = loop.create_future()
    part_callback.add_done_callback(functools.partial(called, 1))
    own_future, own_task = OwnFuture(), OwnTask(forever())
    task, unstarted = asyncio.ensure_future(forever()), None
    done, errored, victim = map(asyncio.ensure_future, (nothing(), fails(), forever()))
    named = asyncio.ensure_future(forever())
    named.set_name("a 'name'")
    gathered = asyncio.gather(task, named)
    shielded = asyncio.shield(task)
    await asyncio.sleep(0.01)
    victim.cancel()
    asked = asyncio.ensure_future(forever())
    await asyncio.sleep(0.01)
    asked.cancel()
    unstarted = asyncio.ensure_future(nothing())
    myself = asyncio.current_task()
    await primitives(way)
    return locals()


async def primitives(way):
    loop = asyncio.get_running_loop()
    lock, held = asyncio.Lock(), asyncio.Lock()
    await held.acquire()
    wanted = asyncio.Lock()
    await wanted.acquire()
    waiter = asyncio.ensure_future(wanted.acquire())
    event, event_set = asyncio.Event(), asyncio.Event()
    event_set.set()
    event_waiter = asyncio.ensure_future(event.wait())
    condition, condition_held = asyncio.Condition(), asyncio.Condition()
    await condition_held.acquire()
    semaphore, bounded = asyncio.Semaphore(2), asyncio.BoundedSemaphore(1)
    await bounded.acquire()
    queue, full = asyncio.Queue(), asyncio.Queue(1)
    full.put_nowait("item")
    putter = asyncio.ensure_future(full.put("more"))
    last, ordered = asyncio.LifoQueue(), asyncio.PriorityQueue()
    ordered.put_nowait(3)
    await asyncio.sleep(0.01)
    handle, timer = loop.call_soon(called, 1), loop.call_later(60, called, "x")
    gone = loop.call_soon(called)
    gone.cancel()
    gone_timer = loop.call_at(loop.time() + 60, called)
    gone_timer.cancel()
    method_handle = loop.call_soon(event.set)
    part_handle = loop.call_soon(functools.partial(called, 1, key=2), 3)
    policy, another = asyncio.events._get_running_loop(), asyncio.new_event_loop()
    closed = asyncio.new_event_loop()
    closed.close()
    coroutine = nothing()
    await newer(way)
    return locals()


async def newer(way):
    if sys.version_info >= (3, 11):
        barrier = asyncio.Barrier(2)
        group = asyncio.TaskGroup()
        limit = asyncio.timeout(60)
        runner = asyncio.Runner()
        async with asyncio.timeout(60) as entered, asyncio.TaskGroup() as running:
            member = running.create_task(forever())
            dying(way, None)
    dying(way, None)
    return locals()


if __name__ == "__main__":
    asyncio.run(futures(deathbed.prepare("raise")))
