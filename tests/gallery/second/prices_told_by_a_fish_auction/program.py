# SPDX-License-Identifier: Apache-2.0
"""A fish auction tells its prices to sixty subscribers; between two landings nothing happens."""

import asyncio
import os
import random
import weakref
from concurrent.futures import ThreadPoolExecutor


class Subscriber:
    def __init__(self, name):
        self.name = name
        self.inbox = asyncio.Queue(maxsize=20)
        self.seen = 0


class Auction:
    def __init__(self):
        self.subscribers = weakref.WeakSet()
        self.pool = ThreadPoolExecutor(6, thread_name_prefix="weigh")
        self.landed = asyncio.Event()

    async def follow(self, name):
        subscriber = Subscriber(name)
        self.subscribers.add(subscriber)
        while True:
            lot = await subscriber.inbox.get()
            subscriber.seen += lot["kilos"]

    async def tell(self):
        loop = asyncio.get_running_loop()
        while True:
            await self.landed.wait()
            self.landed.clear()
            kilos = [random.randint(20, 90) for _ in range(6)]
            weighed = [loop.run_in_executor(self.pool, int, each) for each in kilos]
            for each in await asyncio.gather(*weighed):
                for subscriber in list(self.subscribers):
                    await subscriber.inbox.put({"kilos": each})

    async def land_boats(self):
        while True:
            self.landed.set()
            await asyncio.sleep(900)


async def main():
    auction = Auction()
    tasks = [asyncio.create_task(auction.follow(f"buyer {n}")) for n in range(60)]
    tasks += [asyncio.create_task(auction.tell()), asyncio.create_task(auction.land_boats())]
    await asyncio.sleep(0.5)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await asyncio.gather(*tasks)


asyncio.run(main())
