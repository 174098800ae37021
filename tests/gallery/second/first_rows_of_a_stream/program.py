# SPDX-License-Identifier: Apache-2.0
"""Archive service: shows the first rows of a table and keeps the cursor for the next page."""

import asyncio
import os


class Archive:
    def __init__(self):
        self.connection = asyncio.Lock()
        self.cursors = {}

    async def rows(self, table):
        async with self.connection:
            for number in range(500):
                if number % 50 == 0:
                    await asyncio.sleep(0)
                yield f"{table}-{number:04}"

    async def page(self, table, size):
        cursor = self.cursors.setdefault(table, self.rows(table))
        page = []
        async for row in cursor:
            page.append(row)
            if len(page) == size:
                break
        return page

    async def size(self, table):
        async with self.connection:
            await asyncio.sleep(0)
            return 500


async def show(archive, table):
    page = await archive.page(table, 20)
    return page, await archive.size(table)


async def main():
    archive = Archive()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    page, size = await asyncio.gather(show(archive, "letters"), asyncio.sleep(0.1))
    print(page, size)


asyncio.run(main())
