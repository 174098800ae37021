# SPDX-License-Identifier: Apache-2.0
"""Prices of a fish market: a board that shows them once the market's feed is linked."""

import asyncio
import os


class Feed:
    def __init__(self, address):
        self.address, self.linked, self.prices = address, asyncio.Event(), {}

    async def link(self):
        _, writer = await asyncio.open_connection(*self.address)
        writer.write(b"prices\n")
        self.linked.set()


class Board:
    def __init__(self):
        self.turns = 0

    async def turn(self):
        while True:
            await asyncio.sleep(20)
            self.turns += 1


def tell_ready():
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")


async def main():
    feed, board = Feed(("127.0.0.1", 1)), Board()
    tasks = [asyncio.ensure_future(board.turn()), asyncio.ensure_future(feed.link())]
    asyncio.get_running_loop().call_later(0.5, tell_ready)
    await feed.linked.wait()
    print(feed.prices, tasks)


if __name__ == "__main__":
    asyncio.run(main())
