# SPDX-License-Identifier: Apache-2.0
"""A picture service on asyncio streams: a client uploads pictures and gets them back, framed."""

import asyncio
import os
import struct

HEADER = struct.Struct("!II")
PICTURES = 400
SIZE = 96 * 1024


def frame_of(number, picture):
    return HEADER.pack(number, len(picture)) + picture


def add_frame(picture):
    """Paint a border, so to speak."""
    border = b"\xff" * 16
    return border + picture[16:-16] + border


class PictureServer:
    def __init__(self):
        self.served = 0

    async def handle(self, reader, writer):
        peer = writer.get_extra_info("peername")
        print("server: connection of %s:%d" % peer, flush=True)
        try:
            while True:
                number, length = HEADER.unpack(await reader.readexactly(HEADER.size))
                picture = await reader.readexactly(length)
                await self.reply(writer, number, add_frame(picture))
        except asyncio.IncompleteReadError:
            print("server: %d pictures served" % self.served, flush=True)
        finally:
            writer.close()

    async def reply(self, writer, number, picture):
        writer.write(frame_of(number, picture))
        await writer.drain()
        self.served += 1


class PictureClient:
    def __init__(self, port):
        self.port = port
        self.answers = {}

    async def connect(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def upload_all(self, pictures):
        for number, picture in enumerate(pictures):
            self.writer.write(frame_of(number, picture))
            await self.writer.drain()

    async def collect(self, expected):
        while len(self.answers) < expected:
            number, length = HEADER.unpack(await self.reader.readexactly(HEADER.size))
            self.answers[number] = await self.reader.readexactly(length)

    async def run(self, pictures):
        await self.connect()
        await self.upload_all(pictures)
        await self.collect(len(pictures))
        self.writer.close()


async def main():
    service = PictureServer()
    server = await asyncio.start_server(service.handle, "127.0.0.1", 0)
    client = PictureClient(server.sockets[0].getsockname()[1])
    first = [bytes([n]) * 2048 for n in range(3)]
    await client.connect()
    await client.upload_all(first)
    await client.collect(3)
    client.writer.close()
    print("client: %d small pictures came back" % len(client.answers), flush=True)
    client.answers.clear()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await client.run([os.urandom(SIZE) for _ in range(PICTURES)])
    print("client: %d pictures came back" % len(client.answers))


asyncio.run(main())
