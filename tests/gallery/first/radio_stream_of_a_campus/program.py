# SPDX-License-Identifier: Apache-2.0
import asyncio
import os
import signal


class Station(asyncio.Protocol):
    listeners = set()

    def connection_made(self, transport):
        self.transport = transport
        self.greeted = False

    def data_received(self, data):
        if data.startswith(b"SUBSCRIBE"):
            type(self).listeners.add(self)
        elif data.startswith(b"NOW"):
            self.transport.write(b"Moon River\n")
            self.transport.close()

    def connection_lost(self, error):
        type(self).listeners.discard(self)

    @classmethod
    def announce(cls, title):
        for listener in cls.listeners:
            listener.transport.write(title.encode() + b"\n")


class Receiver:
    def __init__(self, port):
        self.port = port
        self.heard = []

    async def listen(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(b"SUBSCRIBE\n")
        while True:
            line = await self.reader.readline()
            if not line:
                break
            self.heard.append(line)


async def serve():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Station, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    over = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, over.set)
    receivers = [Receiver(port) for _ in range(3)]
    tasks = [asyncio.create_task(each.listen(), name="receiver") for each in receivers]
    while len(Station.listeners) < 3:
        await asyncio.sleep(0.01)
    for title in ("Summertime", "Autumn Leaves", "Blue in Green"):
        Station.announce(title)
        await asyncio.sleep(0.05)
    loop.call_soon(signal.raise_signal, signal.SIGTERM)
    await over.wait()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    server.close()
    await server.wait_closed()
    for listener in list(Station.listeners):
        listener.transport.close()
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    asyncio.run(serve())
