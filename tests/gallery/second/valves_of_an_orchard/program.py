# SPDX-License-Identifier: Apache-2.0
"""Waters an orchard: rows wait for their turn, the plan opens one valve after the other."""

import asyncio
import os
from functools import partial
from pathlib import Path


class Plan:
    """Hooks by row, run by the loop's clock."""

    def __init__(self, minutes):
        self.minutes = minutes
        self.hooks = {}

    def on(self, row, hook):
        self.hooks.setdefault(row, []).append(hook)

    def begin(self):
        loop = asyncio.get_running_loop()
        for row in sorted(self.hooks):
            loop.call_later(60 * self.minutes * (row + 1), self.turn, row)

    def turn(self, row):
        for hook in self.hooks.pop(row):
            hook()


async def water(row, plan, log):
    opened = asyncio.get_running_loop().create_future()
    plan.on(row, partial(opened.set_result, row))
    await opened
    log.append(row)


async def main():
    plan, log = Plan(20), []
    rows = [asyncio.create_task(water(row, plan, log), name=f"row-{row}") for row in range(6)]
    await asyncio.sleep(0)
    plan.begin()
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.gather(*rows)
    print(log, flush=True)


asyncio.run(main())
