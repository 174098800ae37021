# SPDX-License-Identifier: Apache-2.0
"""Enquiries go to a map archive that allows four of them in each five seconds."""

import asyncio
import os
from pathlib import Path

from aiolimiter import AsyncLimiter


class Archive:
    def __init__(self):
        self.allowed = AsyncLimiter(4, 5)
        self.reading_room = asyncio.Lock()
        self.answers = {}

    async def enquire(self, sheet):
        async with self.reading_room:
            async with self.allowed:
                await asyncio.sleep(0.01)
                self.answers[sheet] = f"sheet {sheet} of 1867"


async def main():
    archive = Archive()
    enquiries = [
        asyncio.create_task(archive.enquire(sheet), name=f"enquiry-{sheet}")
        for sheet in range(1, 25)
    ]
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.gather(*enquiries)
    print(len(archive.answers), "answers")


if __name__ == "__main__":
    asyncio.run(main())
