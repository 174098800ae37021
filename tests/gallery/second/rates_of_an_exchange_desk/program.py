# SPDX-License-Identifier: Apache-2.0
"""Exchange desk: subscribes to rates by an asynchronous stream and stops at the first good one."""

import asyncio
import os


class RateServer:
    """Stands for the provider: sends rates to who subscribed, confirms who leaves."""

    def __init__(self):
        self.outbox = asyncio.Queue()
        self.inbox = asyncio.Queue()

    async def serve(self):
        rate = 1.07
        while True:
            try:
                order = await asyncio.wait_for(self.inbox.get(), 0.01)
            except asyncio.TimeoutError:
                rate += 0.01
                await self.outbox.put(("rate", rate))
            else:
                await self.outbox.put(("confirmed", order))


class Desk:
    def __init__(self, server):
        self.server = server
        self.rates = asyncio.Queue()
        self.confirmed = asyncio.Event()

    async def receive(self):
        while True:
            kind, value = await self.server.outbox.get()
            if kind == "rate":
                await self.rates.put(value)
            else:
                self.confirmed.set()

    async def subscription(self):
        try:
            while True:
                yield await self.rates.get()
        finally:
            await self.server.inbox.put("unsubscribe")
            await self.confirmed.wait()


def report_for_duty():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


async def main():
    server = RateServer()
    desk = Desk(server)
    tasks = [asyncio.ensure_future(server.serve()), asyncio.ensure_future(desk.receive())]
    stream = desk.subscription()
    async for rate in stream:
        if rate > 1.10:
            break
    print(f"bought at {rate:.2f}", len(tasks))
    report_for_duty()
    KEPT.append(stream)


KEPT = []
asyncio.run(main())
