# SPDX-License-Identifier: Apache-2.0
"""A tea house mixes its blends; the stock book is changed by one hand at a time."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class StockBook:
    grams: dict
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class TeaHouse:
    def __init__(self):
        self.book = StockBook({"assam": 900, "ceylon": 2400, "keemun": 150})

    async def reorder(self, tea):
        await asyncio.sleep(0.05)
        async with self.book.lock:
            self.book.grams[tea] += 5000

    async def mix(self, recipe):
        async with self.book.lock:
            for tea, grams in recipe.items():
                if self.book.grams[tea] < grams:
                    await asyncio.create_task(self.reorder(tea), name=f"reorder-{tea}")
                self.book.grams[tea] -= grams

    async def clock(self):
        while True:
            await asyncio.sleep(1800)


async def main():
    house = TeaHouse()
    clock = asyncio.create_task(house.clock(), name="clock")
    await house.mix({"assam": 300, "ceylon": 200})
    Path("ready").write_text(f"{os.getpid()}\n")
    await house.mix({"keemun": 400, "ceylon": 100})
    clock.cancel()
    print(house.book.grams)


if __name__ == "__main__":
    asyncio.run(main())
