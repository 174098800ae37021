# SPDX-License-Identifier: Apache-2.0
"""A price service for a scrap dealer: follows an exchange until its short day is over."""

import asyncio
import logging
import os

from exchange import Exchange
from feed import QuoteFeed, QuoteReader


class PriceService:
    def __init__(self):
        self.exchange = Exchange()
        self.feed = None

    async def run(self):
        port = await self.exchange.open()
        self.feed = QuoteFeed(QuoteReader("127.0.0.1", port))
        self.feed.start()
        while len(self.feed.prices) < 3:
            await asyncio.sleep(0.02)
        await self.close()

    async def close(self):
        print("closing with", self.feed.prices, flush=True)
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        await self.feed.stop()
        print("closed", flush=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(PriceService().run())
