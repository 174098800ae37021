# SPDX-License-Identifier: Apache-2.0
"""A healthy echo service on uvloop, with one client that is connected and says nothing."""

import asyncio
import os

import uvloop


async def echo(reader, writer):
    while True:
        line = await reader.readline()
        if not line:
            break
        writer.write(line)
        await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello\n")
    await reader.readline()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()


asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
asyncio.run(main())
