# SPDX-License-Identifier: Apache-2.0
"""Takes scrolls over TCP, each up to a seal; no more than a shelf of them is kept unread."""

import asyncio
import os

SHELF = 1 << 17
SEAL = b"\0"


class Library(asyncio.Protocol):
    def __init__(self):
        self.parts = []
        self.kept = 0
        self.sealed = asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport
        asyncio.get_running_loop().create_task(self.read(), name="librarian")

    def data_received(self, data):
        self.parts.append(data)
        self.kept += len(data)
        if SEAL in data:
            self.sealed.set()
        if self.kept > SHELF:
            self.transport.pause_reading()

    async def read(self):
        while True:
            await self.sealed.wait()
            scroll, _, rest = b"".join(self.parts).partition(SEAL)
            self.parts, self.kept = [rest], len(rest)
            self.sealed.clear()
            self.transport.resume_reading()
            print("scroll of", len(scroll), "letters", flush=True)


async def copy(port):
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    for length in (3000, 70_000, 40_000_000):
        writer.write(b"a" * length + SEAL)
        await writer.drain()
        await asyncio.sleep(0.05)


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Library, "127.0.0.1", 0)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await copy(server.sockets[0].getsockname()[1])


asyncio.run(main())
