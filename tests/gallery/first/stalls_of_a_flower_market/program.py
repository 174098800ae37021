# SPDX-License-Identifier: Apache-2.0
"""A flower market opens: a clerk waits for the first stall with the market's book in hand."""

import asyncio
import os


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Market:
    def __init__(self):
        self.book = asyncio.Lock()
        self.first_open = asyncio.Event()
        self.stalls = []

    async def write_down_the_first(self):
        async with self.book:
            await self.first_open.wait()
            self.stalls.append("first")

    async def open_stall(self, number):
        async with self.book:
            self.stalls.append(number)
            self.first_open.set()


async def tell_the_time():
    minutes = 0
    while True:
        await asyncio.sleep(60)
        minutes += 1
        print("open for", minutes, "minutes", flush=True)


async def main():
    market = Market()
    clock = asyncio.ensure_future(tell_the_time())
    clerk = asyncio.ensure_future(market.write_down_the_first())
    await asyncio.sleep(0)
    stalls = [asyncio.ensure_future(market.open_stall(n)) for n in range(3)]
    tell()
    await asyncio.wait([clerk, *stalls])
    clock.cancel()


asyncio.run(main())
