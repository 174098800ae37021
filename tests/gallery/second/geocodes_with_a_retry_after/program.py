# SPDX-License-Identifier: Apache-2.0
"""Finds the places of addresses; the provider asks to be left alone for some time now and then."""

import asyncio
import itertools
import logging
import os
import time
from dataclasses import dataclass, field

log = logging.getLogger("geocodes")


@dataclass
class Answer:
    status: int
    headers: dict = field(default_factory=dict)
    place: tuple = ()


@dataclass
class Address:
    street: str
    town: str
    place: tuple = ()


class Provider:
    """The service of the provider, over a local connection."""

    def __init__(self, quota):
        self.quota = quota
        self.asked = 0

    async def answer(self, reader, writer):
        while line := await reader.readline():
            self.asked += 1
            if self.asked > self.quota:
                writer.write(b"429 180\n")
            else:
                writer.write(b"200 %d.5 %d.25\n" % (len(line) % 90, self.asked % 180))
            await writer.drain()
        writer.close()

    async def start(self):
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        return server, server.sockets[0].getsockname()[1]


class Client:
    """One connection, one question at a time; honours what the provider asks for."""

    def __init__(self, port):
        self.port = port
        self.turn = asyncio.Lock()
        self.reader = self.writer = None
        self.pauses = []

    async def ask(self, text):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(text.encode() + b"\n")
        status, *rest = (await self.reader.readline()).split()
        if status == b"429":
            return Answer(429, {"retry-after": float(rest[0])})
        return Answer(200, place=tuple(map(float, rest)))

    async def geocode(self, address):
        async with self.turn:
            for _attempt in range(5):
                answer = await self.ask(f"{address.street}, {address.town}")
                if answer.status == 200:
                    address.place = answer.place
                    return address
                pause = answer.headers["retry-after"]
                self.pauses.append((time.time(), pause))
                log.info("asked to wait %.0f s", pause)
                await asyncio.sleep(pause)
        raise TimeoutError(address.street)


async def worker(client, addresses, found):
    while not addresses.empty():
        address = addresses.get_nowait()
        found.append(await client.geocode(address))


async def heartbeat(found):
    for beat in itertools.count():
        await asyncio.sleep(20)
        log.info("beat %d: found %d", beat, len(found))


async def main():
    server, port = await Provider(quota=40).start()
    client = Client(port)
    addresses, found = asyncio.Queue(), []
    for number in range(1, 101):
        addresses.put_nowait(Address(f"{number} mill lane", "brockwell"))
    workers = [
        asyncio.create_task(worker(client, addresses, found), name=f"geocoder-{number}")
        for number in range(6)
    ]
    beat = asyncio.create_task(heartbeat(found), name="heartbeat")
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await asyncio.gather(*workers)
    beat.cancel()
    server.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
