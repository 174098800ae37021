# SPDX-License-Identifier: Apache-2.0
"""Two replicas of a store in one process tell each other their whole state at the start."""

import asyncio
import os
import socket


class Replica:
    def __init__(self, name, size):
        self.name, self.state, self.other = name, name.encode() * size, b""

    async def exchange(self, link):
        reader, writer = await asyncio.open_connection(sock=link)
        writer.write(len(self.state).to_bytes(8, "big") + self.state)
        await writer.drain()
        size = int.from_bytes(await reader.readexactly(8), "big")
        self.other = await reader.readexactly(size)
        writer.close()


async def main():
    links = socket.socketpair()
    replicas = [Replica("left", 2000000), Replica("right", 2000000)]
    tasks = [
        asyncio.create_task(replica.exchange(link), name=replica.name)
        for replica, link in zip(replicas, links)
    ]
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*tasks)


asyncio.run(main())
