"""Harbour radio over TCP: ferries keep a connection open and wait for the pilot's word."""

import asyncio
import os


class Channel:
    """All who listen, each with a queue of what is still to be sent."""

    def __init__(self):
        self.listeners = {}
        self.calls = asyncio.Condition()
        self.spoken = 0

    async def serve(self, reader, writer):
        name = (await reader.readline()).decode().strip()
        outbox = self.listeners[name] = asyncio.Queue(maxsize=20)
        async with self.calls:
            self.calls.notify_all()
        speaker = asyncio.ensure_future(self.speak(outbox, writer))
        try:
            while True:
                line = await reader.readline()
                if not line:
                    break
                self.broadcast(name, line)
        finally:
            speaker.cancel()
            del self.listeners[name]
            writer.close()

    async def speak(self, outbox, writer):
        while True:
            writer.write(await outbox.get())
            await writer.drain()

    def broadcast(self, sender, line):
        self.spoken += 1
        for name, outbox in self.listeners.items():
            if name != sender:
                outbox.put_nowait(b"%s: %s" % (sender.encode(), line))


async def ferry(name, port, heard):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(name.encode() + b"\n")
    await writer.drain()
    while True:
        heard.append((name, await reader.readline()))


async def everyone_listens(channel, number):
    async with channel.calls:
        await channel.calls.wait_for(lambda: len(channel.listeners) == number)


async def main():
    channel, heard = Channel(), []
    server = await asyncio.start_server(channel.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    names = ["Amalia", "Bergen", "Castor", "Dagny", "Elbe", "Freya"]
    crew = [asyncio.ensure_future(ferry(name, port, heard)) for name in names]
    await everyone_listens(channel, len(names))
    channel.broadcast("pilot", b"berth 3 is free\n")
    while len(heard) < len(names):
        await asyncio.sleep(0.05)
    print("heard by", len(heard), "- channel is quiet now", flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    async with server:
        await asyncio.gather(server.serve_forever(), *crew)


asyncio.run(main())
