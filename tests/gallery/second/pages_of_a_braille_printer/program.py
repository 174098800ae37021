# SPDX-License-Identifier: Apache-2.0
"""Pages are queued for a braille printer and embossed one after another."""

import asyncio
import os
from pathlib import Path

import janus


class Printer:
    def __init__(self):
        self.pages = janus.Queue(maxsize=8)
        self.embossed = 0

    async def feed(self, text):
        for page in text:
            self.pages.sync_q.put(page)
        await self.pages.async_q.join()

    async def emboss(self):
        while True:
            await self.pages.async_q.get()
            await asyncio.sleep(0.001)
            self.embossed += 1
            self.pages.async_q.task_done()


async def main():
    printer = Printer()
    embossing = asyncio.create_task(printer.emboss(), name="embossing")
    await asyncio.sleep(0)
    Path("ready").write_text(f"{os.getpid()}\n")
    await printer.feed([f"page {number}" for number in range(30)])
    embossing.cancel()
    print(printer.embossed, "pages")


if __name__ == "__main__":
    asyncio.run(main())
