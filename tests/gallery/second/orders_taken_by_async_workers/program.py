# SPDX-License-Identifier: Apache-2.0
"""Orders come in over TCP, are queued, and are worked off by three tasks."""

import asyncio
import os


class Orders:
    def __init__(self):
        self.queue = asyncio.Queue(maxsize=100)
        self.packed = 0

    async def receive(self, reader, writer):
        while line := await reader.readline():
            await self.queue.put(line.decode().strip())
            writer.write(b"queued\n")
            await writer.drain()
        writer.close()

    async def pack(self, name):
        while True:
            order = await self.queue.get()
            await asyncio.sleep(0.01)
            self.packed += 1
            print(name, "packed", order, flush=True)
            self.queue.task_done()

    async def report(self, pause):
        while True:
            print(self.packed, "orders packed", flush=True)
            await asyncio.sleep(pause)


async def morning_rush(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(6):
        writer.write(b"order %d\n" % number)
        await reader.readline()
    writer.close()


async def main():
    orders = Orders()
    tasks = [asyncio.ensure_future(orders.pack("packer-%d" % n)) for n in range(3)]
    tasks.append(asyncio.ensure_future(orders.report(300)))
    server = await asyncio.start_server(orders.receive, "127.0.0.1", 0)
    await morning_rush(server.sockets[0].getsockname()[1])
    await orders.queue.join()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()


asyncio.run(main())
