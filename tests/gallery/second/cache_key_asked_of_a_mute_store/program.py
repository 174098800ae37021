"""Prices of a grocer's app: served from a key-value store that speaks RESP, behind an asyncio front."""

import asyncio
import logging
import os
import subprocess
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("prices")

STORE = r"""
import socket, time
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(4)
print(server.getsockname()[1], flush=True)
peer, _ = server.accept()
data = {b"milk": b"1.19", b"bread": b"2.85"}
left = 2
while True:
    parts = peer.recv(4096).split(b"\r\n")
    if left == 0:
        time.sleep(3600)
    left -= 1
    value = data[parts[4]]
    peer.sendall(b"$%d\r\n%s\r\n" % (len(value), value))
"""


class Store:
    """A client of the store: one connection, commands one after the other."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer
        self.turn = asyncio.Lock()

    @classmethod
    async def connect(cls, port):
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    def encode(self, *words):
        parts = [b"*%d\r\n" % len(words)]
        for word in map(str.encode, words):
            parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
        return b"".join(parts)

    async def reply(self):
        head = await self.reader.readline()
        if head.startswith(b"$-1"):
            return None
        body = await self.reader.readexactly(int(head[1:]) + 2)
        return body[:-2].decode()

    async def get(self, key):
        async with self.turn:
            self.writer.write(self.encode("GET", key))
            await self.writer.drain()
            return await self.reply()


class Prices:
    def __init__(self, store):
        self.store = store

    async def basket(self, customer, articles):
        total = 0.0
        for article in articles:
            total += float(await self.store.get(article) or 0)
        log.info("%s pays %.2f", customer, total)
        return total


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    process = subprocess.Popen([sys.executable, "-c", STORE], stdout=subprocess.PIPE)
    store = await Store.connect(int(process.stdout.readline()))
    prices = Prices(store)
    await prices.basket("Greta", ["milk", "bread"])
    asyncio.get_running_loop().call_later(1.5, announce)
    baskets = [
        asyncio.create_task(prices.basket("Hugo", ["bread", "milk"]), name="basket-hugo"),
        asyncio.create_task(prices.basket("Ines", ["milk"]), name="basket-ines"),
    ]
    await asyncio.gather(*baskets)
    process.terminate()


asyncio.run(main())
