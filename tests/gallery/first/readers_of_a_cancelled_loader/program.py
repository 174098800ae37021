# SPDX-License-Identifier: Apache-2.0
"""Readers wait for an event that a cancelled task was to set."""

import asyncio
import os


async def load(loaded):
    await asyncio.sleep(10)
    loaded.set()


async def read(loaded):
    await loaded.wait()


async def report():
    while True:
        await asyncio.sleep(5)


async def main():
    loaded = asyncio.Event()
    loader = asyncio.create_task(load(loaded))
    reporter = asyncio.create_task(report())
    readers = [asyncio.create_task(read(loaded)) for _ in range(3)]
    await asyncio.sleep(0.1)
    loader.cancel()
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*readers)
    reporter.cancel()


asyncio.run(main())
