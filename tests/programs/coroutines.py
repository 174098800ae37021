# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in a coroutine that asyncio runs, while other tasks are suspended."""

import asyncio

import deathbed


def chain(coroutine):
    """Return the suspended frames of a coroutine, outermost first, as far as Python shows them."""
    frames = []
    while coroutine is not None and getattr(coroutine, "cr_frame", None) is not None:
        frames.append(deathbed.describe(coroutine.cr_frame))
        coroutine = coroutine.cr_await
    return frames


def tasks():
    """Return the truth about every task: name, coroutine, suspended frames, whether it runs."""
    return [
        {
            "name": task.get_name(),
            "coroutine": task.get_coro().__qualname__,
            "running": task is asyncio.current_task(),
            "frames": chain(task.get_coro()),
        }
        for task in asyncio.all_tasks()
    ]


async def sleep_inside(seconds):
    await asyncio.sleep(seconds)


async def waiter(seconds):
    await sleep_inside(seconds)


async def on_event(event):
    await event.wait()


async def leaf(way):
    await asyncio.sleep(0.01)
    deathbed.die(way, facts={"tasks": tasks()})


async def branch(way):
    async with asyncio.Lock():
        await leaf(way)


async def main():
    others = [asyncio.ensure_future(waiter(100 + number)) for number in range(3)]
    others.append(asyncio.ensure_future(on_event(asyncio.Event())))
    for number, task in enumerate(others):
        task.set_name(f"waiter-{number}")
    doomed = asyncio.ensure_future(branch(deathbed.prepare("raise")))
    doomed.set_name("doomed")
    await asyncio.gather(doomed, *others)


if __name__ == "__main__":
    asyncio.run(main())
