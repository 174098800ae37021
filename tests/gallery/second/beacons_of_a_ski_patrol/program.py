# SPDX-License-Identifier: Apache-2.0
"""Collects the messages of the patrol's beacons over TCP; warns when one has been silent."""

import os
from functools import partial

import trio


class Patrol:
    def __init__(self):
        self.heard = {}
        self.limit = trio.CapacityLimiter(20)
        self.alarm = trio.Event()

    async def serve(self, reports, stream):
        async with self.limit, stream, reports:
            async for data in stream:
                for name in data.decode().split():
                    self.heard[name] = trio.current_time()
                    await reports.send(name)

    async def write(self, incoming):
        async with incoming:
            async for name in incoming:
                print("heard", name, flush=True)

    async def watch(self, silence):
        while True:
            await trio.sleep(silence / 2)
            now = trio.current_time()
            if any(now - heard > silence for heard in self.heard.values()):
                self.alarm.set()

    async def sound(self):
        await self.alarm.wait()
        print("a beacon is silent", flush=True)


async def skier(port, *names):
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    for name in names:
        await stream.send_all(f"{name}\n".encode())
        await trio.sleep(0.05)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await trio.sleep_forever()


async def main():
    patrol = Patrol()
    reports, incoming = trio.open_memory_channel(50)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(patrol.write, incoming)
        nursery.start_soon(patrol.watch, 600)
        nursery.start_soon(patrol.sound)

        async def handle(stream):
            await patrol.serve(reports.clone(), stream)

        nursery.start_soon(partial(trio.serve_listeners, handle, listeners))
        nursery.start_soon(skier, port, "edelweiss", "gentian")


if __name__ == "__main__":
    trio.run(main)
