# SPDX-License-Identifier: Apache-2.0
"""Take the positions of a fleet of lorries, sent in frames with their length in front."""

import asyncio
import os

HIGH_WATER = 64 * 1024


class FleetProtocol(asyncio.Protocol):
    def __init__(self):
        self.buffer = bytearray()
        self.arrived = asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport
        self.storing = asyncio.ensure_future(store_frames(self))

    def data_received(self, data):
        self.buffer += data
        if len(self.buffer) > HIGH_WATER:
            self.transport.pause_reading()
        self.arrived.set()

    async def next_frame(self):
        while True:
            if len(self.buffer) >= 4:
                end = 4 + int.from_bytes(self.buffer[:4], "big")
                if len(self.buffer) >= end:
                    frame = bytes(self.buffer[4:end])
                    del self.buffer[:end]
                    self.transport.resume_reading()
                    return frame
            self.arrived.clear()
            await self.arrived.wait()


async def store_frames(protocol):
    while True:
        frame = await protocol.next_frame()
        print("stored", len(frame))


async def send_positions(address, sizes):
    reader, writer = await asyncio.open_connection(*address)
    for size in sizes:
        writer.write(size.to_bytes(4, "big") + bytes(size))
        await writer.drain()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(FleetProtocol, "127.0.0.1", 0)
    loop.call_later(1, tell)
    await send_positions(server.sockets[0].getsockname(), [900, 20_000, 16_000_000])


asyncio.run(main())
