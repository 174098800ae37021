# SPDX-License-Identifier: Apache-2.0
"""A packing hall: scanners bring articles, packers fill crates; at closing all is wound up."""

import asyncio
import contextlib
import itertools
import os
from pathlib import Path

CRATE = 12


class PackingHall:
    def __init__(self):
        self.belt = asyncio.Queue(maxsize=40)
        self.crates = []
        self.packing = set()

    async def scan(self):
        for number in itertools.count(50_000):
            await self.belt.put(number)
            await asyncio.sleep(0.02)

    async def fill_crate(self):
        crate = []
        while len(crate) < CRATE:
            crate.append(await self.belt.get())
        self.crates.append(crate)

    async def pack(self):
        while True:
            job = asyncio.ensure_future(self.fill_crate())
            self.packing.add(job)
            job.add_done_callback(self.packing.discard)
            await asyncio.shield(job)  # a crate that was begun is finished

    async def close(self, *people):
        for task in people:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        Path("ready").write_text(f"{os.getpid()}\n")
        await asyncio.gather(*self.packing)


async def main():
    hall = PackingHall()
    scanner = asyncio.ensure_future(hall.scan())
    packer = asyncio.ensure_future(hall.pack())
    await asyncio.sleep(0.35)
    await hall.close(scanner, packer)
    print(len(hall.crates))


if __name__ == "__main__":
    asyncio.run(main())
