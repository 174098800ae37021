# SPDX-License-Identifier: Apache-2.0
"""Sightings of a bird club are brought into its database."""

import asyncio
import os
from pathlib import Path

import aiosqlite


class Sightings:
    def __init__(self, name):
        self.name = name
        self.database = None

    async def open(self):
        self.database = await aiosqlite.connect(self.name)
        await self.database.execute("create table if not exists seen (bird text, number integer)")

    async def note(self, rows):
        await self.database.executemany("insert into seen values (?, ?)", rows)
        await self.database.commit()

    async def total(self):
        async with self.database.execute("select sum(number) from seen") as cursor:
            (number,) = await cursor.fetchone()
        return number


async def import_sightings():
    sightings = Sightings("birds.db")
    await sightings.open()
    await sightings.note([("heron", 2), ("teal", 31), ("osprey", 1)])
    print(await sightings.total(), "birds")


if __name__ == "__main__":
    asyncio.run(import_sightings())
    Path("ready").write_text(f"{os.getpid()}\n")
