# SPDX-License-Identifier: Apache-2.0
"""The console of a lighthouse: keepers stay connected and type a command now and then."""

import asyncio
import logging
import os

log = logging.getLogger("console")


class Lighthouse:
    def __init__(self):
        self.lamp = "off"
        self.wind = 4
        self.commands = 0
        self.keepers = {}

    def execute(self, line):
        self.commands += 1
        if line.startswith("lamp "):
            self.lamp = line.split()[1]
            return "lamp is " + self.lamp
        if line == "wind":
            return "wind %d" % self.wind
        return "commands: lamp on, lamp off, wind"


class Console:
    def __init__(self, lighthouse):
        self.lighthouse = lighthouse

    async def serve(self, reader, writer):
        name = (await reader.readline()).decode().strip()
        self.lighthouse.keepers[name] = writer
        writer.write(b"welcome\n")
        while True:
            line = await reader.readline()
            if not line:
                break
            writer.write(self.lighthouse.execute(line.decode().strip()).encode() + b"\n")
            await writer.drain()
        del self.lighthouse.keepers[name]
        writer.close()

    async def read_anemometer(self):
        while True:
            self.lighthouse.wind = 3 + self.lighthouse.wind % 5
            await asyncio.sleep(300)


class Keeper:
    """A keeper's terminal; it lies in the same process as the night watch has no other."""

    def __init__(self, name):
        self.name = name
        self.lines = []

    async def connect(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        self.writer.write(self.name.encode() + b"\n")
        self.lines.append(await self.reader.readline())

    async def say(self, command):
        self.writer.write(command.encode() + b"\n")
        self.lines.append(await self.reader.readline())


async def main():
    lighthouse = Lighthouse()
    console = Console(lighthouse)
    server = await asyncio.start_server(console.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    weather = asyncio.ensure_future(console.read_anemometer())
    keepers = [Keeper("Aoife"), Keeper("Brendan")]
    for keeper in keepers:
        await keeper.connect(port)
    await keepers[0].say("lamp on")
    await keepers[1].say("wind")
    log.info("%d commands, lamp %s", lighthouse.commands, lighthouse.lamp)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()
    weather.cancel()


logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
asyncio.run(main())
