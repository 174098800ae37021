# SPDX-License-Identifier: Apache-2.0
"""The exchange of a hotel joins the line of a room to the line of the desk, for as long as both."""

import asyncio
import os


async def carry(reader, writer):
    """Carry words one way until the line is hung up."""
    carried = 0
    while True:
        words = await reader.read(512)
        if not words:
            break
        writer.write(words)
        await writer.drain()
        carried += len(words)
    writer.close()
    return carried


class Exchange:
    def __init__(self, desk):
        self.desk = desk
        self.joined = 0

    async def join_lines(self, room_reader, room_writer):
        desk_reader, desk_writer = await asyncio.open_connection(*self.desk)
        self.joined += 1
        await asyncio.gather(carry(room_reader, desk_writer), carry(desk_reader, room_writer))


async def answer_at_desk(reader, writer):
    while True:
        words = await reader.readline()
        if not words:
            break
        writer.write(b"at your service: " + words)


async def main():
    desk = await asyncio.start_server(answer_at_desk, "127.0.0.1", 0)
    exchange = Exchange(desk.sockets[0].getsockname()[:2])
    server = await asyncio.start_server(exchange.join_lines, "127.0.0.1", 0)
    rooms = []
    for number in (101, 102, 203):
        room = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
        room[1].write(b"room %d, good evening\n" % number)
        await room[0].readline()
        rooms.append(room)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*(reader.readline() for reader, _ in rooms))


asyncio.run(main())
