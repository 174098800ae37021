# SPDX-License-Identifier: Apache-2.0
"""A desk shows measurements page by page and lets a user leave notes beside them."""

import asyncio
import os


class Link:
    """One connection to the measurement store: one statement at a time."""

    def __init__(self):
        self._turn = asyncio.Lock()
        self.notes = []
        self.pings = 0

    async def rows(self, station):
        async with self._turn:
            for number in range(10_000):
                if number % 10 == 0:
                    await asyncio.sleep(0.001)
                yield {"station": station, "number": number, "level": 180 + number % 17}

    async def insert(self, note):
        async with self._turn:
            await asyncio.sleep(0.001)
            self.notes.append(note)


class PagedTable:
    def __init__(self, rows, size=25):
        self.rows = rows
        self.size = size
        self.pages = []

    async def next_page(self):
        page = []
        async for row in self.rows:
            page.append(row)
            if len(page) == self.size:
                break
        self.pages.append(page)
        return page


class Desk:
    def __init__(self, link):
        self.link = link
        self.table = None

    async def open_station(self, name):
        self.table = PagedTable(self.link.rows(name))
        return await self.table.next_page()

    async def leave_note(self, text):
        row = self.table.pages[-1][-1]
        await self.link.insert((row["station"], row["number"], text))


async def blink(desk):
    while True:
        await asyncio.sleep(1)


async def session():
    desk = Desk(Link())
    blinking = asyncio.create_task(blink(desk), name="blink")
    await desk.open_station("Weir 7")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await desk.leave_note("looks too low")
    await desk.table.next_page()
    blinking.cancel()


asyncio.run(session())
