# SPDX-License-Identifier: Apache-2.0
"""Orders come over a line: fields, then an empty line; an answer goes back for each."""

import asyncio
import os

FIELDS = ("customer: 4711", "article: lamp", "pieces: 2")


class Desk:
    def __init__(self):
        self.orders = []

    async def read_order(self, reader):
        text = await reader.readuntil(b"\r\n\r\n")
        pairs = (line.split(": ", 1) for line in text.decode().split("\r\n") if line)
        return dict(pairs)

    async def serve(self, reader, writer):
        while not reader.at_eof():
            try:
                self.orders.append(await self.read_order(reader))
            except asyncio.IncompleteReadError:
                break
            writer.write(b"taken %d\r\n" % len(self.orders))
            await writer.drain()
        writer.close()


class Till:
    def __init__(self, port, end):
        self.port = port
        self.end = end

    async def order(self, count):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        answers = []
        for _ in range(count):
            writer.write((self.end.join(FIELDS) + 2 * self.end).encode())
            await writer.drain()
            answers.append(await reader.readline())
        writer.close()
        return answers


async def main():
    desk = Desk()
    server = await asyncio.start_server(desk.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    asyncio.get_running_loop().call_later(0.5, announce)
    for end in ("\r\n", "\n"):
        print(await Till(port, end).order(2), flush=True)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


asyncio.run(main())
