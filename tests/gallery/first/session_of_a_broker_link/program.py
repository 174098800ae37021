# SPDX-License-Identifier: Apache-2.0
"""Trading gateway: logs in at a broker and sends the orders of the morning as soon as it may."""

import asyncio
import json
import os


async def broker(reader, writer):
    await reader.readline()
    writer.write(json.dumps({"status": "granted", "seq": 4117}).encode("ascii") + b"\n")
    await writer.drain()
    while await reader.readline():
        pass
    writer.close()


class Session:
    """A session at the broker; orders may go out once it is granted."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer
        self.granted = False
        self.sent = []

    async def log_in(self, account):
        self.writer.write(b"LOGIN %s\n" % account.encode("ascii"))
        reply = json.loads(await self.reader.readline())
        self.granted = reply["state"] == "granted"

    async def send(self, order):
        while not self.granted:
            await asyncio.sleep(0)
        self.writer.write(order.encode("ascii") + b"\n")
        self.sent.append(order)


async def morning():
    server = await asyncio.start_server(broker, "127.0.0.1", 0)
    session = Session(*await asyncio.open_connection(*server.sockets[0].getsockname()))
    login = asyncio.ensure_future(session.log_in("desk-9"))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*(session.send(order) for order in ("BUY 100 ZN", "SELL 40 PB")))
    await login
    print(session.sent)


asyncio.run(morning())
