# SPDX-License-Identifier: Apache-2.0
"""A kitchen closes its door; the guests who are inside get their soup, which takes its time."""

import asyncio
import os
import signal


class Kitchen:
    def __init__(self):
        self.served = 0

    async def serve(self, reader, writer):
        order = await reader.readline()
        await asyncio.sleep(300)
        writer.write(b"soup for " + order)
        await writer.drain()
        writer.close()
        self.served += 1


async def eat(port, name):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(name.encode() + b"\n")
    print((await reader.readline()).decode().strip())
    writer.close()


async def main():
    kitchen, evening = Kitchen(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, evening.set)
    server = await asyncio.start_server(kitchen.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    guests = [asyncio.create_task(eat(port, name)) for name in ("Ada", "Ben", "Cem")]
    await asyncio.sleep(0.3)
    asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGTERM)
    await evening.wait()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    server.close()
    await server.wait_closed()
    await asyncio.gather(*guests)
    print(kitchen.served, "served")


asyncio.run(main())
