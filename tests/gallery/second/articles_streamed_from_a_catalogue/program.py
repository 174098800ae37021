# SPDX-License-Identifier: Apache-2.0
"""The catalogue of a garden shop is streamed to a job that lowers prices at the season's end."""

import asyncio
import os


class Catalogue:
    def __init__(self):
        self.lock = asyncio.Lock()
        self.cents = {"rake": 1900, "hose": 2450, "lime": 690, "gloves": 850}

    async def articles(self):
        async with self.lock:
            for article, cents in sorted(self.cents.items()):
                await asyncio.sleep(0)
                yield article, cents

    async def set_price(self, article, cents):
        async with self.lock:
            self.cents[article] = cents


async def lower_prices(catalogue, percent):
    changed = 0
    async for article, cents in catalogue.articles():
        if cents > 800:
            await catalogue.set_price(article, cents * (100 - percent) // 100)
            changed += 1
    return changed


async def main():
    catalogue = Catalogue()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(await lower_prices(catalogue, 30))


asyncio.run(main())
