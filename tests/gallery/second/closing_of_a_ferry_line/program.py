# SPDX-License-Identifier: Apache-2.0
"""The boats of a ferry line sail until the evening; then the line closes."""

import asyncio
import os
from pathlib import Path


class FerryLine:
    def __init__(self, boats):
        self.boats = boats
        self.crossings = 0
        self.evening = asyncio.Event()

    async def sail(self, boat):
        while not self.evening.is_set():
            await asyncio.sleep(0.02)
            self.crossings += 1
        return boat

    async def close(self):
        await asyncio.sleep(0.2)
        self.evening.set()
        await asyncio.gather(*asyncio.all_tasks(), return_exceptions=True)
        print(self.crossings, "crossings")


async def main():
    line = FerryLine(["Alke", "Skarv", "Terne"])
    sailing = [asyncio.create_task(line.sail(boat), name=boat) for boat in line.boats]
    closing = asyncio.create_task(line.close(), name="closing")
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.wait([*sailing, closing])


if __name__ == "__main__":
    asyncio.run(main())
