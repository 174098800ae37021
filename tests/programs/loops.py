# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in one of three event loops, whose tasks are in every state that a task can be in."""

import asyncio
import threading

import deathbed

KEPT = []  # loops keep only weak references to their tasks
LOOPS = []
READY = threading.Event()


def chain(awaited):
    """Return [kind, frame] of coroutines and generators that wait, outermost first."""
    frames = []
    while True:
        if hasattr(awaited, "cr_frame") and awaited.cr_frame is not None:
            frames.append(["coroutine", deathbed.describe(awaited.cr_frame)])
            awaited = awaited.cr_await
        elif hasattr(awaited, "gi_frame") and awaited.gi_frame is not None:
            frames.append(["generator", deathbed.describe(awaited.gi_frame)])
            awaited = awaited.gi_yieldfrom
        else:
            return frames


def tasks():
    """Return the truth about every task that is kept, whatever its state."""
    return [
        {
            "name": task.get_name(),
            "coroutine": task.get_coro().__qualname__,
            "state": "pending" if not task.done() else _ending(task),
            "frames": chain(task.get_coro()),
        }
        for task in KEPT
    ]


def _ending(task):
    return "cancelled" if task.cancelled() else "finished"


def keep(coroutine, name=None):
    """Make a task; without a name it has asyncio's own."""
    task = asyncio.ensure_future(coroutine)
    if name:
        task.set_name(name)
    KEPT.append(task)
    return task


class Awaitable:
    """An object that waits by a generator, as classes with __await__ do."""

    def __init__(self, future):
        self.future = future

    def __await__(self):
        return (yield from self.future.__await__())


async def forever():
    await asyncio.get_running_loop().create_future()


async def other(task):
    await task


async def by_generator():
    await Awaitable(asyncio.get_running_loop().create_future())


async def in_turns():
    while True:
        await asyncio.sleep(0)


async def with_manager():
    async with asyncio.Lock():
        for _ in range(3):
            try:
                await forever()
            finally:
                KEPT.clear()


async def nothing():
    return 1


async def failing():
    raise ValueError("its text is not shown")


async def never_started():
    await forever()


async def of_living_thread():
    keep(forever(), "living")
    READY.set()
    await asyncio.get_running_loop().create_future()


async def of_ended_thread():
    keep(forever(), "ended")
    await asyncio.sleep(0)


def left_behind():
    """Run a loop that ends with a task left pending; nobody cancels it."""
    loop = asyncio.new_event_loop()
    LOOPS.append(loop)
    KEPT.append(loop.create_task(of_ended_thread()))
    KEPT[-1].set_name("done-in-ended")
    loop.run_until_complete(KEPT[-1])


async def main():
    first = keep(forever(), "first")
    keep(other(first), "other")
    keep(by_generator(), "by-generator")
    keep(in_turns(), "in-turns")
    keep(with_manager(), "with-manager")
    keep(forever())
    keep(nothing(), "finished")
    keep(failing(), "failed")
    victim = keep(forever(), "cancelled")
    way = deathbed.prepare("raise")
    await asyncio.sleep(0.01)
    victim.cancel()
    await asyncio.sleep(0.01)
    keep(never_started(), "never-started")
    deathbed.die(way, facts={"tasks": tasks()})


if __name__ == "__main__":
    threading.Thread(target=lambda: asyncio.run(of_living_thread()), daemon=True).start()
    READY.wait()
    gone = threading.Thread(target=left_behind)
    gone.start()
    gone.join()
    asyncio.run(main())
