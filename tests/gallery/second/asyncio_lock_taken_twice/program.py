# SPDX-License-Identifier: Apache-2.0
"""A coroutine takes an asyncio.Lock that its caller holds: the one task waits for itself, and
the loop sleeps.
"""

import asyncio
import os


class Store:
    def __init__(self):
        self.guard = asyncio.Lock()

    async def snapshot(self):
        async with self.guard:
            return {}

    async def save_state(self):
        async with self.guard:
            return await self.snapshot()


async def main():
    store = Store()
    task = asyncio.ensure_future(store.save_state())
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await task


asyncio.run(main())
