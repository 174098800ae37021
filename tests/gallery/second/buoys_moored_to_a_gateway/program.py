# SPDX-License-Identifier: Apache-2.0
"""A gateway of buoys: each keeps its connection and is asked for a sign of life at times."""

import asyncio
import contextlib
import os
import struct
from contextvars import ContextVar

FRAME = struct.Struct("!HBf")
buoy_number = ContextVar("buoy_number")


class Gateway:
    def __init__(self, patience=25.0):
        self.patience = patience
        self.heights = {}
        self.tasks = {}
        self.all_moored = asyncio.Event()

    async def moored(self, reader, writer):
        number, _, _ = FRAME.unpack(await reader.readexactly(FRAME.size))
        buoy_number.set(number)
        self.tasks[number] = asyncio.current_task()
        if len(self.tasks) == 20:
            self.all_moored.set()
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            await self.listen(reader, writer)
        writer.close()
        del self.tasks[number]

    async def listen(self, reader, writer):
        while True:
            try:
                frame = await asyncio.wait_for(reader.readexactly(FRAME.size), self.patience)
            except asyncio.TimeoutError:
                writer.write(b"?")
                await writer.drain()
                continue
            number, kind, height = FRAME.unpack(frame)
            self.heights[buoy_number.get()] = height


async def buoy(number, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(FRAME.pack(number, 0, 0.0) + FRAME.pack(number, 1, 0.4 + number / 50))
    while await reader.read(1):
        writer.write(FRAME.pack(number, 1, 0.5))


async def main():
    gateway = Gateway()
    server = await asyncio.start_server(gateway.moored, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    buoys = [asyncio.create_task(buoy(number, port)) for number in range(1, 21)]
    await gateway.all_moored.wait()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await asyncio.gather(*buoys)


asyncio.run(main())
