# SPDX-License-Identifier: Apache-2.0
"""Shipments are announced on a Unix socket, sorted by three clerks, and summed up each hour."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import os


class Depot:
    def __init__(self, clerks: int = 3) -> None:
        self.arrivals: asyncio.Queue[str] = asyncio.Queue(maxsize=100)
        self.shelves: collections.Counter[str] = collections.Counter()
        self.clerks = clerks

    async def announce(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                await self.arrivals.put(line.decode().strip())
                writer.write(b"noted\n")
                await writer.drain()
        writer.close()

    async def clerk(self) -> None:
        while True:
            town, _, parcels = (await self.arrivals.get()).rpartition(" ")
            self.shelves[town] += int(parcels)
            self.arrivals.task_done()

    async def hourly(self) -> None:
        while True:
            await asyncio.sleep(3600)
            print(self.shelves.most_common(5), flush=True)

    async def run(self, path: str) -> None:
        server = await asyncio.start_unix_server(self.announce, path)
        jobs = [asyncio.ensure_future(self.clerk()) for _ in range(self.clerks)]
        jobs.append(asyncio.ensure_future(self.hourly()))
        jobs.append(asyncio.ensure_future(driver(path)))
        async with server:
            await server.serve_forever()


async def driver(path: str) -> None:
    reader, writer = await asyncio.open_unix_connection(path)
    for shipment in (b"Kiel 4\n", b"Husum 2\n", b"Kiel 1\n"):
        writer.write(shipment)
        await reader.readline()
    writer.close()
    await asyncio.sleep(0.5)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    with contextlib.suppress(FileNotFoundError):
        os.unlink("depot.sock")
    asyncio.run(Depot().run("depot.sock"))
