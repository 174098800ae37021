# SPDX-License-Identifier: Apache-2.0
"""Depot: orders go onto a short shelf while the stock is locked; the packer wants the stock too."""

import asyncio
import os

STOCK = {"pen": 500}
DEPOT = {}


async def pack():
    while True:
        order = await DEPOT["shelf"].get()
        async with DEPOT["lock"]:
            STOCK[order] -= 1


async def take_orders(orders):
    async with DEPOT["lock"]:
        for order in orders:
            await DEPOT["shelf"].put(order)


async def serve(reader, writer):
    writer.write(b"%d\n" % STOCK["pen"])
    writer.close()


async def main():
    DEPOT.update(lock=asyncio.Lock(), shelf=asyncio.Queue(maxsize=3))
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    packer = asyncio.ensure_future(pack())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await take_orders(["pen"] * 8)
    packer.cancel()
    server.close()


asyncio.run(main())
