# SPDX-License-Identifier: Apache-2.0
"""A currency desk: an asyncio service whose old, synchronous price book is still in use."""

import asyncio
import json
import os
from pathlib import Path


class RateSource:
    """Asynchronous source of rates."""

    async def fetch(self, pair: str) -> float:
        await asyncio.sleep(0.02)
        return {"EURUSD": 1.0843, "EURCHF": 0.9571}.get(pair, 1.0)


class PriceBook:
    """The synchronous face of the source, written for the desk's threads."""

    def __init__(self, source: RateSource, loop: asyncio.AbstractEventLoop) -> None:
        self.source = source
        self.loop = loop
        self.known: dict[str, float] = {}

    def rate_of(self, pair: str) -> float:
        if pair not in self.known:
            job = asyncio.run_coroutine_threadsafe(self.source.fetch(pair), self.loop)
            self.known[pair] = job.result()
        return self.known[pair]


class Desk:
    def __init__(self, book: PriceBook) -> None:
        self.book = book

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            order = json.loads(line)
            amount = order["amount"] * self.book.rate_of(order["pair"])
            writer.write(json.dumps({"amount": amount}).encode() + b"\n")
            await writer.drain()


async def client(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b'{"pair": "EURCHF", "amount": 1200}\n')
    print(await reader.readline())


async def main() -> None:
    loop = asyncio.get_running_loop()
    book = PriceBook(RateSource(), loop)
    await loop.run_in_executor(None, book.rate_of, "EURUSD")
    server = await asyncio.start_server(Desk(book).handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.gather(client(port), server.serve_forever())


asyncio.run(main())
