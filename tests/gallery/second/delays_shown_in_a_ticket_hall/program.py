# SPDX-License-Identifier: Apache-2.0
"""Delays of trains for the screens of a hall: a request is held until there is news, or 40 s."""

import asyncio
import contextlib
import os

HOLD = 40


def report_for_duty():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class DelayBoard:
    def __init__(self):
        self.version = 0
        self.changed = asyncio.Event()
        self.delays = {}
        self.held = 0

    def report(self, train, minutes):
        self.delays[train] = minutes
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    async def newer_than(self, version):
        if self.version <= version:
            self.held += 1
            if self.held == 3:
                report_for_duty()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.changed.wait(), HOLD)
            self.held -= 1
        return self.version, dict(self.delays)

    async def serve(self, reader, writer):
        async for line in reader:
            version, delays = await self.newer_than(int(line))
            text = ",".join(f"{train}+{late}" for train, late in sorted(delays.items()))
            writer.write(b"%d %s\n" % (version, text.encode()))
            await writer.drain()


async def screen(port):
    """A screen of the hall; here in the same process as the service."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    version = 0
    while True:
        writer.write(b"%d\n" % version)
        line = await reader.readline()
        version = int(line.split()[0])


async def main():
    board = DelayBoard()
    server = await asyncio.start_server(board.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    screens = [asyncio.ensure_future(screen(port)) for _ in range(3)]
    board.report("IC 204", 5)
    await asyncio.gather(*screens)


asyncio.run(main())
