# SPDX-License-Identifier: Apache-2.0
"""A shop's service that warms its caches before it takes orders."""

import asyncio
import os

ROWS = [{"sku": "a1", "price": "4.20"}, {"sku": "b2", "price": "on request"}]


class Shop:
    def __init__(self):
        self.prices = {}
        self.warm = False
        self.tasks = []

    async def warm_up(self):
        for row in ROWS:
            await asyncio.sleep(0.1)
            self.prices[row["sku"]] = float(row["price"])
        self.warm = True

    async def take_orders(self, reader, writer):
        sku = (await reader.readline()).decode().strip()
        writer.write(b"%.2f\n" % self.prices[sku])
        writer.close()

    async def open(self):
        self.tasks.append(asyncio.ensure_future(self.warm_up()))
        while not self.warm:
            await asyncio.sleep(0)
        server = await asyncio.start_server(self.take_orders, "127.0.0.1", 0)
        async with server:
            await server.serve_forever()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    asyncio.get_running_loop().call_later(0.8, tell)
    await Shop().open()


asyncio.run(main())
