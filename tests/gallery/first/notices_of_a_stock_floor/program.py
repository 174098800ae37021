# SPDX-License-Identifier: Apache-2.0
"""A floor of traders: what one says is told to all who are there, over asyncio streams."""

import asyncio
import os

NOTICE = 1 << 20


class Floor:
    def __init__(self):
        self.traders = set()
        self.told = 0

    async def welcome(self, reader, writer):
        self.traders.add(writer)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                await self.tell_all(await reader.readexactly(size))
        except asyncio.IncompleteReadError:
            self.traders.discard(writer)

    async def tell_all(self, notice):
        for writer in list(self.traders):
            writer.write(len(notice).to_bytes(4, "big") + notice)
            await writer.drain()
            self.told += 1


async def announce_holdings(port, parts):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in range(parts):
        writer.write(NOTICE.to_bytes(4, "big") + bytes([part % 251]) * NOTICE)
        await writer.drain()
    seen = 0
    while seen < parts:
        size = int.from_bytes(await reader.readexactly(4), "big")
        await reader.readexactly(size)
        seen += 1
    writer.close()
    return seen


async def ring_the_bell():
    while True:
        await asyncio.sleep(30)


async def main():
    floor = Floor()
    server = await asyncio.start_server(floor.welcome, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    bell = asyncio.create_task(ring_the_bell())
    holdings = asyncio.create_task(announce_holdings(port, 64))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(await holdings)
    bell.cancel()


asyncio.run(main())
