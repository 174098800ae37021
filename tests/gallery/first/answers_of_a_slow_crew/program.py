# SPDX-License-Identifier: Apache-2.0
"""A client of one process asks its hub, whose crew answers after an hour."""

import asyncio
import json
import os


async def main():
    orders = asyncio.Queue()

    async def hub(reader, writer):
        while line := await reader.readline():
            orders.put_nowait((json.loads(line), writer))

    async def work():
        while True:
            order, writer = await orders.get()
            await asyncio.sleep(3600)
            writer.write(json.dumps(order).encode() + b"\n")

    crew = asyncio.create_task(work())
    server = await asyncio.start_server(hub, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    pending = {}

    async def receive():
        while True:
            answer = json.loads(await reader.readline())
            pending.pop(answer["id"]).set_result(answer)

    receiver = asyncio.create_task(receive())

    async def ask(number):
        pending[number] = asyncio.get_running_loop().create_future()
        writer.write(json.dumps({"id": number}).encode() + b"\n")
        return await pending[number]

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    asyncio.get_running_loop().call_later(0.4, ready)
    print(await ask(1), crew, receiver)


asyncio.run(main())
