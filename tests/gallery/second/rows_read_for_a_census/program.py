# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of a census, parish by parish, over a small pool of connections."""

import asyncio
import os
import sqlite3
from pathlib import Path


class ConnectionPool:
    def __init__(self, size):
        self.free = asyncio.Queue()
        for _ in range(size):
            self.free.put_nowait(self.connect())

    @staticmethod
    def connect():
        connection = sqlite3.connect(":memory:")
        connection.execute("create table people (parish text, name text, born integer)")
        rows = [("Aldery", f"name {n}", 1800 + n % 60) for n in range(500)]
        connection.executemany("insert into people values (?, ?, ?)", rows)
        return connection

    async def rows(self, query, *values):
        connection = await self.free.get()
        try:
            for row in connection.execute(query, values):
                yield row
                await asyncio.sleep(0)
        finally:
            self.free.put_nowait(connection)


class Census:
    def __init__(self, pool):
        self.pool = pool
        self.streams = {}

    async def first_born(self, parish):
        """Return who was born first in a parish."""
        query = "select name, born from people where parish = ? order by born"
        stream = self.streams[parish] = self.pool.rows(query, parish)
        async for name, born in stream:
            return name, born

    async def count(self, parish):
        number = 0
        async for _ in self.pool.rows("select 1 from people where parish = ?", parish):
            number += 1
        return number


async def main():
    census = Census(ConnectionPool(size=1))
    name, born = await census.first_born("Aldery")
    Path("ready").write_text(f"{os.getpid()}\n")
    print(name, born, await census.count("Aldery"))


if __name__ == "__main__":
    asyncio.run(main())
