# SPDX-License-Identifier: Apache-2.0
"""A translation desk: pages arrive over the day and are translated in the order they came."""

import asyncio
import os


class Desk:
    def __init__(self, expected):
        self.expected = expected
        self.pages = []
        self.finished = []
        self.arrived = asyncio.Event()

    def submit(self, page):
        self.pages.append(page)
        self.arrived.set()

    async def translate(self, page):
        await asyncio.sleep(0.15)
        self.finished.append(page[::-1])

    async def work(self):
        while len(self.finished) < self.expected:
            await self.arrived.wait()
            pages, self.pages = self.pages, []
            for page in pages:
                await self.translate(page)
            self.arrived.clear()


async def deliver(desk, pages):
    for page in pages:
        desk.submit(page)
        await asyncio.sleep(0.1)


async def main():
    pages = ["contract 1", "contract 2", "annex", "terms"]
    desk = Desk(len(pages))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(deliver(desk, pages), desk.work())
    print(desk.finished)


asyncio.run(main())
