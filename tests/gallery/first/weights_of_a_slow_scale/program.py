# SPDX-License-Identifier: Apache-2.0
"""Weighs trucks on a scale that answers numbered requests over TCP."""

import asyncio
import itertools
import os


class ScaleProtocol(asyncio.Protocol):
    """The client's side: requests may overlap, answers carry the number of theirs."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.rest = b""
        self.transport = None
        self.connected = False

    def connection_made(self, transport):
        self.transport = transport
        self.connected = True

    def connection_lost(self, error):
        self.connected = False
        self.transport = None

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            number, _, value = line.partition(b" ")
            future = self.waiting.pop(int(number), None)
            if future is not None and not future.done():
                future.set_result(float(value))

    def request(self, command):
        number = next(self.numbers)
        future = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        self.transport.write(b"%d %s\n" % (number, command))
        return future


class Scale:
    def __init__(self, protocol):
        self.protocol = protocol

    @classmethod
    async def connect(cls, port):
        loop = asyncio.get_running_loop()
        _, protocol = await loop.create_connection(ScaleProtocol, "127.0.0.1", port)
        return cls(protocol)

    async def weigh(self, plate):
        empty = await self.protocol.request(b"tare")
        full = await self.protocol.request(b"gross " + plate.encode())
        return full - empty


async def answer(reader, writer):
    """The scale: the fourth truck is weighed for a long time."""
    while line := await reader.readline():
        number, command, *_ = line.split()
        if int(number) == 7:
            await asyncio.sleep(900)
        weight = 12.5 if command == b"tare" else 9000 + int(number) * 410.5
        writer.write(b"%s %.1f\n" % (number, weight))
        await writer.drain()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    scale = await Scale.connect(server.sockets[0].getsockname()[1])
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    total = 0.0
    for plate in ("HH-AB 1", "HH-AB 2", "HH-AB 3", "HH-AB 4", "HH-AB 5", "HH-AB 6"):
        weight = await scale.weigh(plate)
        total += weight
        print(plate, weight, flush=True)
    print("in all", total)


asyncio.run(main())
