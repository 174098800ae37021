# SPDX-License-Identifier: Apache-2.0
"""A stock service on asyncio: it listens, and looks for low stock every quarter of an hour."""

import asyncio
import os


class Stock:
    def __init__(self):
        self.pieces = {"bolt": 800, "nut": 40}
        self.low = []
        self.looked = asyncio.Event()

    async def serve(self, reader, writer):
        async for line in reader:
            name = line.decode().strip()
            writer.write(b"%d\n" % self.pieces.get(name, 0))
            await writer.drain()
        writer.close()

    async def look_for_low_stock(self):
        while True:
            self.low = [name for name, count in self.pieces.items() if count < 100]
            self.looked.set()
            await asyncio.sleep(900)


async def main():
    stock = Stock()
    server = await asyncio.start_server(stock.serve, "127.0.0.1", 0)
    watch = asyncio.ensure_future(stock.look_for_low_stock())
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"bolt\n")
    print("bolts:", int(await reader.readline()), flush=True)
    writer.close()
    await stock.looked.wait()
    await asyncio.sleep(0.2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()
    watch.cancel()


asyncio.run(main())
