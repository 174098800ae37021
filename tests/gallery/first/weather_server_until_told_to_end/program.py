# SPDX-License-Identifier: Apache-2.0
"""A healthy weather service on asyncio, at rest; main() waits until a signal tells it to end."""

import asyncio
import os
import signal


async def forecast(reader, writer):
    place = await reader.readline()
    writer.write(b"sunny in " + place)
    await writer.drain()
    writer.close()


async def main():
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    server = await asyncio.start_server(forecast, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"Turin\n")
    print(await reader.read())
    writer.close()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await told.wait()
    server.close()


asyncio.run(main())
