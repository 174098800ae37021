# SPDX-License-Identifier: Apache-2.0
# corpus: {}
# corpus: {"name": "taskgraph-eager", "arguments": ["eager"], "oldest": [3, 12]}
"""Die among asyncio tasks that wait for each other in every way that asyncio has."""

import asyncio
import sys

import deathbed

PyTask = asyncio.tasks._PyTask
KEPT = {}
EDGES = {}  # child: those that wait for it


class Own(asyncio.Task):
    """A task class of the program's own."""


def make(name, coroutine, *waiters, kind=asyncio.Task):
    """Make a task that `waiters` (names) are going to wait for."""
    loop = asyncio.get_running_loop()
    if kind is asyncio.Task:
        KEPT[name] = loop.create_task(coroutine)
        KEPT[name].set_name(name)
    else:
        KEPT[name] = kind(coroutine, loop=loop, name=name)
    EDGES[name] = sorted(waiters)
    return KEPT[name]


async def leaf():
    await asyncio.get_running_loop().create_future()


async def directly(name):
    await KEPT[name]


async def gathering(*names):
    await asyncio.gather(*(KEPT[name] for name in names))


async def gathering_twice(first, *names):
    inner = asyncio.gather(*(KEPT[name] for name in names))
    await asyncio.gather(KEPT[first], asyncio.gather(inner))


async def shielding(name):
    await asyncio.shield(KEPT[name])


async def waiting(*names):
    await asyncio.wait([KEPT[name] for name in names])


async def with_timeout(name):
    await asyncio.wait_for(KEPT[name], 900)


async def grouping():
    async with asyncio.TaskGroup() as group:
        for number in range(2):
            name = f"grouped-{number}"
            KEPT[name] = group.create_task(leaf(), name=name)
            EDGES[name] = ["group"]


async def each_other(name):
    await asyncio.sleep(0)
    await KEPT[name]


def graph():
    """Return what asyncio itself says who waits for whom (3.14+)."""
    if not hasattr(asyncio, "capture_call_graph"):
        return None
    found = {}
    for name, task in KEPT.items():
        told = task._asyncio_awaited_by or ()
        found[name] = sorted(one.get_name() for one in told)
    # The same by the public way, but for a cycle, in which it does not end, and for tasks that are
    # no asyncio.Future.
    for name in sorted(set(KEPT) - {"yin", "yang", "python", "python-leaf"}):
        by = asyncio.capture_call_graph(KEPT[name]).awaited_by
        assert sorted(one.future.get_name() for one in by) == found[name], name
    return found


async def main(way, eager):
    if eager:
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    make("plain", leaf(), "direct")
    make("direct", directly("plain"))
    for number in range(3):
        make(f"leaf-{number}", leaf(), "gather")
    make("gather", gathering("leaf-0", "leaf-1", "leaf-2"), "own")
    make("own", directly("gather"), kind=Own)
    for name in ("a", "b", "c"):
        make(name, leaf(), "nested")
    make("nested", gathering_twice("a", "b", "c"))
    make("guarded", leaf(), "shield")
    make("shield", shielding("guarded"))
    make("awaited-0", leaf(), "wait")
    make("awaited-1", leaf(), "wait")
    make("wait", waiting("awaited-0", "awaited-1"))
    make("timed", leaf(), "timeout")
    make("timeout", with_timeout("timed"))
    make("python-leaf", leaf(), "python", kind=PyTask)
    make("python", directly("python-leaf"), "of-python", kind=PyTask)
    make("of-python", gathering("python"))
    make("yin", each_other("yang"), "yang")
    make("yang", each_other("yin"), "yin")
    make("shared", leaf(), "reader-0", "reader-1")
    make("reader-0", directly("shared"))
    make("reader-1", shielding("shared"))
    if hasattr(asyncio, "TaskGroup"):
        make("group", grouping())
    for _ in range(25):  # by turns of the loop: time passes on a busy machine without them
        await asyncio.sleep(0.002)
    facts = {
        "edges": EDGES,
        "graph": graph(),
        "states": {name: task.done() for name, task in KEPT.items()},
        "python": ["python", "python-leaf"],
    }
    deathbed.die(way, facts=facts)


if __name__ == "__main__":
    asyncio.run(main(deathbed.prepare("raise"), sys.argv[2:] == ["eager"]))
