# SPDX-License-Identifier: Apache-2.0
"""A harbour desk waits for the tide, which a gauge tells through a pipe; the loop reads it."""

import asyncio
import os
import threading
import time


class Gauge:
    """Calls who asked to be told; each of them decides what to do with it."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.listeners = []
        self.seen = 0

    def readable(self):
        level = os.read(self.descriptor, 8).decode()
        self.seen += 1
        for tell in self.listeners:
            tell(level)


class Desk:
    def __init__(self, gauge):
        self.waiting = {}
        gauge.listeners.append(self.on_level)

    def on_level(self, level):
        ship = next(iter(self.waiting))
        self.waiting.pop(ship).set_result(level)

    async def enter(self, ship):
        answer = self.waiting[ship] = asyncio.get_running_loop().create_future()
        return await answer


async def clock(gauge):
    while True:
        gauge.seen += 0
        await asyncio.sleep(2)


def sea(descriptor):
    time.sleep(1800)
    os.write(descriptor, b"high")


async def main():
    reading, writing = os.pipe()
    gauge = Gauge(reading)
    desk = Desk(gauge)
    asyncio.get_running_loop().add_reader(reading, gauge.readable)
    threading.Thread(target=sea, args=(writing,), name="sea", daemon=True).start()
    ticking = asyncio.create_task(clock(gauge))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(await desk.enter("Henriette"))
    ticking.cancel()


asyncio.run(main())
