# SPDX-License-Identifier: Apache-2.0
"""Tells the displays of the tram stops what comes; each display keeps a connection."""

import asyncio
import json
import os
from pathlib import Path


class Board:
    def __init__(self) -> None:
        self.displays: set[asyncio.StreamWriter] = set()
        self.arrivals: asyncio.Queue[dict] = asyncio.Queue()

    async def on_display(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.displays.add(writer)
        try:
            while line := await reader.readline():
                print("display says", line, flush=True)
        finally:
            self.displays.discard(writer)
            writer.close()

    async def announce(self) -> None:
        while True:
            arrival = await self.arrivals.get()
            for display in self.displays:
                display.write(json.dumps(arrival).encode() + b"\n")
            await asyncio.gather(*(display.drain() for display in self.displays))

    async def count_displays(self) -> None:
        while True:
            print(len(self.displays), "displays", flush=True)
            await asyncio.sleep(60)


async def display(port: int, stop: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(stop.encode() + b"\n")
    while line := await reader.readline():
        print(stop, json.loads(line), flush=True)


async def main() -> None:
    board = Board()
    server = await asyncio.start_server(board.on_display, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, asyncio.TaskGroup() as group:
        group.create_task(board.announce(), name="announce")
        group.create_task(board.count_displays(), name="count")
        for stop in ("market", "harbour", "zoo"):
            group.create_task(display(port, stop), name=f"display-{stop}")
        board.arrivals.put_nowait({"line": 4, "minutes": 3})
        Path("ready").write_text(f"{os.getpid()}\n")
        await server.serve_forever()


asyncio.run(main())
