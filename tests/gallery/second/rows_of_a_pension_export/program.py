# SPDX-License-Identifier: Apache-2.0
"""Exports the accounts of a pension fund; one cursor, many readers."""

import asyncio
import os
from pathlib import Path


class Fund:
    def __init__(self, accounts):
        self.cursor = asyncio.Lock()
        self.accounts = accounts

    async def rows(self, since):
        async with self.cursor:
            for number in range(since, self.accounts):
                await asyncio.sleep(0.001)
                yield number, number * 31 % 9000


class Preview:
    """The first rows of an export, kept for the next page."""

    def __init__(self, fund):
        self.source = fund.rows(0)
        self.page = []

    async def load(self, size):
        async for row in self.source:
            self.page.append(row)
            if len(self.page) == size:
                break


async def export(fund, since):
    return sum([cents async for _, cents in fund.rows(since)])


async def heartbeat():
    while True:
        await asyncio.sleep(0.3)
        Path("beat").write_text("up")


async def main():
    fund = Fund(300)
    beat = asyncio.create_task(heartbeat(), name="heartbeat")
    preview = Preview(fund)
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.create_task(preview.load(20), name="preview")
    exports = [
        asyncio.create_task(export(fund, since), name=f"export-{since}") for since in (0, 100, 200)
    ]
    print(await asyncio.gather(*exports), len(preview.page), flush=True)
    beat.cancel()


asyncio.run(main())
