# SPDX-License-Identifier: Apache-2.0
"""A coroutine reads one row of a service in another process."""

import asyncio
import os
import socket
import time

server = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    client, _ = server.accept()
    time.sleep(3600)
    client.send(b"row\n")
    os._exit(0)
port = server.getsockname()[1]
server.close()


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asyncio.get_running_loop().call_later(0.3, ready)
    print(await reader.readline())
    writer.close()


asyncio.run(main())
