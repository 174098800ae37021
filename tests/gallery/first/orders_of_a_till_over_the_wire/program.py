# SPDX-License-Identifier: Apache-2.0
"""Integration test of the kitchen's order printer: a till sends one order and reads the slip."""

import asyncio
import os


async def take_order(reader, writer):
    order = await reader.readuntil(b"\r\n")
    writer.write(b"SLIP " + order.upper())
    await writer.drain()
    writer.close()


async def send_order(port, dish):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{dish}\n".encode())
    await writer.drain()
    slip = await reader.readuntil(b"\r\n")
    writer.close()
    return slip


async def main():
    server = await asyncio.start_server(take_order, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    slip = await send_order(port, "soup of the day")
    assert slip == b"SLIP SOUP OF THE DAY\r\n"
    server.close()


asyncio.run(main())
