# SPDX-License-Identifier: Apache-2.0
"""A broker's page waits for a quote that a task of the background fetches."""

import asyncio
import os

FEED = {"bund": 97.1}


class Quotes:
    def __init__(self):
        self.quotes, self.tasks = {}, []

    def order(self, name):
        self.tasks.append(asyncio.ensure_future(self.fetch(name)))

    async def fetch(self, name):
        await asyncio.sleep(0.01)
        self.quotes[name] = FEED[name]

    async def quote_of(self, name):
        while name not in self.quotes:
            await asyncio.sleep(0.05)
        return self.quotes[name]


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    board = Quotes()
    board.order("gilt")
    tell()
    print(await board.quote_of("gilt"))


asyncio.run(main())
