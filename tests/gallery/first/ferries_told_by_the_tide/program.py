# SPDX-License-Identifier: Apache-2.0
"""Ferries leave when the tide has come: the pilot holds the harbour until the gauge reports it."""

import asyncio
import os


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Harbour:
    def __init__(self):
        self.channel = asyncio.Lock()
        self.tides = asyncio.Queue()

    async def await_the_tide(self):
        async with self.channel:
            return await self.tides.get()

    async def sail(self, ferry):
        async with self.channel:
            return ferry


async def read_the_gauge(harbour):
    while True:
        await asyncio.sleep(3600)
        await harbour.tides.put("high")


async def main():
    harbour = Harbour()
    gauge = asyncio.ensure_future(read_the_gauge(harbour))
    pilot = asyncio.ensure_future(harbour.await_the_tide())
    await asyncio.sleep(0)
    ferries = [asyncio.ensure_future(harbour.sail(n)) for n in range(4)]
    tell()
    await asyncio.gather(pilot, *ferries)
    gauge.cancel()


asyncio.run(main())
