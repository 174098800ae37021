# SPDX-License-Identifier: Apache-2.0
"""Asks the pumps of a waterworks for their pressure; questions outlive a lost connection."""

import asyncio
import os


class PumpProtocol(asyncio.Protocol):
    def __init__(self, station):
        self.station = station
        self.rest = b""

    def connection_made(self, transport):
        self.transport = transport
        for number in self.station.waiting:
            transport.write(b"%d\n" % number)

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            number, _, bar = line.partition(b" ")
            self.station.waiting.pop(int(number)).set_result(float(bar))

    def connection_lost(self, error):
        self.station.lost.set()


class Station:
    def __init__(self, port):
        self.port = port
        self.waiting = {}
        self.lost = asyncio.Event()
        self.lost.set()
        self.pause = 0.0

    async def stay_connected(self):
        while True:
            await self.lost.wait()
            self.lost.clear()
            await asyncio.sleep(self.pause)
            loop = asyncio.get_running_loop()
            await loop.create_connection(lambda: PumpProtocol(self), "127.0.0.1", self.port)
            self.pause = 400.0

    def ask(self, number):
        answer = self.waiting[number] = asyncio.get_running_loop().create_future()
        return answer

    async def pressure(self, number):
        return await self.ask(number)


async def works(reader, writer):
    """The works: the first connection is lost before anything was answered."""
    if works.connections:
        while line := await reader.readline():
            writer.write(b"%d 2.5\n" % int(line))
    works.connections += 1
    writer.close()


async def main():
    works.connections = 0
    server = await asyncio.start_server(works, "127.0.0.1", 0)
    station = Station(server.sockets[0].getsockname()[1])
    linked = asyncio.create_task(station.stay_connected())
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(await station.pressure(4))
    linked.cancel()


asyncio.run(main())
