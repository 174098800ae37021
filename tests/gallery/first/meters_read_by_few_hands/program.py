# SPDX-License-Identifier: Apache-2.0
"""Meters of a town: read by a pool of two threads, prices are asked of the loop."""

import asyncio
import concurrent.futures
import os
from pathlib import Path

PRICES = {"water": 3, "gas": 9}


class Town:
    def __init__(self, loop):
        self.loop = loop
        self.hands = concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="hand")

    def look_up(self, kind):
        return PRICES[kind]

    async def price(self, kind):
        await asyncio.sleep(0.1)
        return await self.loop.run_in_executor(self.hands, self.look_up, kind)

    def bill(self, kind, units):
        asked = asyncio.run_coroutine_threadsafe(self.price(kind), self.loop)
        return units * asked.result()

    async def read(self, kind, units):
        return await self.loop.run_in_executor(self.hands, self.bill, kind, units)


async def ring_the_hours():
    while True:
        await asyncio.sleep(3600)


async def main():
    town = Town(asyncio.get_running_loop())
    bells = asyncio.ensure_future(ring_the_hours())
    Path("ready").write_text(f"{os.getpid()}\n")
    print(sum(await asyncio.gather(town.read("water", 12), town.read("gas", 7))), flush=True)
    bells.cancel()


if __name__ == "__main__":
    asyncio.run(main())
