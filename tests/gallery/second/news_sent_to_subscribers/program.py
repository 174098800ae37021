# SPDX-License-Identifier: Apache-2.0
"""News service: sends each article to all that are connected; keeps them alive by pings."""

import asyncio
import os

PING_EVERY = 45


class News:
    def __init__(self):
        self.boxes = {}
        self.lock = asyncio.Lock()

    async def subscriber(self, reader, writer):
        name = (await reader.readline()).decode().strip()
        async with self.lock:
            box = self.boxes[name] = asyncio.Queue(maxsize=100)
        while True:
            try:
                article = await asyncio.wait_for(box.get(), PING_EVERY)
            except asyncio.TimeoutError:
                article = "ping"
            writer.write(article.encode() + b"\n")
            await writer.drain()

    async def publish(self, article):
        async with self.lock:
            for box in self.boxes.values():
                box.put_nowait(article)


async def read_news(port, name):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(name.encode() + b"\n")
    async for line in reader:
        print(name, line.decode().strip(), flush=True)


async def main():
    news = News()
    server = await asyncio.start_server(news.subscriber, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    readers = [asyncio.create_task(read_news(port, name)) for name in ("ada", "grace", "mary")]
    while len(news.boxes) < len(readers):
        await asyncio.sleep(0.01)
    await news.publish("harbour closed for the regatta")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await server.serve_forever()


asyncio.run(main())
