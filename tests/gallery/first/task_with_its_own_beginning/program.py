# SPDX-License-Identifier: Apache-2.0
"""Tasks with a label. A placeholder stands for work that has not been planned yet."""

import asyncio


class LabelledTask(asyncio.Task):
    def __init__(self, coro, *, loop, label):
        super().__init__(coro, loop=loop)
        self.label = label


class Placeholder(LabelledTask):
    """Nothing to do yet."""

    def __init__(self, label):
        self.label = label


def describe(task):
    coro = task.get_coro()
    context = task.get_context() if hasattr(task, "get_context") else None
    return task.label, getattr(coro, "__name__", "nothing"), context is not None


async def bake(seconds):
    await asyncio.sleep(seconds)


async def main():
    loop = asyncio.get_running_loop()
    plan = [LabelledTask(bake(0.01), loop=loop, label="bread"), Placeholder("cake")]
    for task in plan:
        print(describe(task))


asyncio.run(main())
