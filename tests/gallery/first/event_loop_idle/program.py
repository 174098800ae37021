# SPDX-License-Identifier: Apache-2.0
"""An asyncio server with two tasks that sleep and wait for connections; nothing is wrong."""

import asyncio
import os


async def answer(reader, writer):
    writer.write(await reader.readline())
    writer.close()


async def housekeeping():
    while True:
        await asyncio.sleep(30)


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    task = asyncio.ensure_future(housekeeping())
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"ping\n")
    print(await reader.readline())
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()


asyncio.run(main())
