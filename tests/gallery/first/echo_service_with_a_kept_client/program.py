# SPDX-License-Identifier: Apache-2.0
"""An asyncio server keeps a connection whose client says nothing now."""

import asyncio
import os
import socket


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = socket.create_connection(server.sockets[0].getsockname())
    asyncio.get_running_loop().call_later(0.3, ready)
    async with server:
        await server.serve_forever()
    client.close()


asyncio.run(main())
