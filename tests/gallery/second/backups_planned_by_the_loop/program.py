# SPDX-License-Identifier: Apache-2.0
"""A healthy planner of backups on asyncio, between two of them."""

import asyncio
import os
import signal
from dataclasses import dataclass, field


@dataclass
class Plan:
    name: str
    every: float
    kept: list = field(default_factory=list)

    async def make_backup(self):
        await asyncio.sleep(0)
        self.kept.append(len(self.kept))

    async def keep_to_it(self):
        while True:
            await self.make_backup()
            await asyncio.sleep(self.every)


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    plans = [Plan("database", 86400.0), Plan("mail", 3600.0), Plan("photos", 604800.0)]
    running = [asyncio.create_task(plan.keep_to_it(), name=plan.name) for plan in plans]
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await stop.wait()
    for task in running:
        task.cancel()


asyncio.run(main())
