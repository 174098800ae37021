# SPDX-License-Identifier: Apache-2.0
"""A task waits for a price under one key, and the feed tells another."""

import asyncio
import os


class Prices:
    def __init__(self):
        self.waiters = {}

    async def wait_for(self, key):
        arrival = asyncio.get_running_loop().create_future()
        self.waiters[key] = arrival
        return await arrival

    def tell(self, key, price):
        waiter = self.waiters.pop(key, None)
        if waiter is not None:
            waiter.set_result(price)


async def feed(prices):
    prices.tell("EUR-usd", 1.08)


async def count_minutes():
    minutes = 0
    while True:
        await asyncio.sleep(5)
        minutes += 1


async def main():
    prices = Prices()
    clock = asyncio.create_task(count_minutes())
    asyncio.create_task(feed(prices))
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(await prices.wait_for("EUR-USD"), clock)


asyncio.run(main())
