# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "finalization-tasks"}
"""Die while the interpreter tears its modules down, with asyncio tasks left pending."""

import asyncio

import deathbed

KEPT = []


class Doomed:
    def __init__(self, tasks, loop):
        self.way = deathbed.prepare("raise")
        self.tasks, self.loop = tasks, loop
        self.circle = self  # only the collector, or the tear-down, gets at it

    def __del__(self, die=deathbed.die):
        die(self.way, others=[], facts={"tasks": [task.get_name() for task in self.tasks]})


async def forever():
    await asyncio.get_running_loop().create_future()


async def start():
    tasks = [asyncio.ensure_future(forever()) for _ in range(3)]
    for number, task in enumerate(tasks):
        task.set_name(f"left-{number}")
    await asyncio.sleep(0)
    return tasks


loop = asyncio.new_event_loop()
doomed = Doomed(loop.run_until_complete(start()), loop)
