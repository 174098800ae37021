# SPDX-License-Identifier: Apache-2.0
"""A quote bot takes prices from a blocking feed by way of the event loop's executor, and goes
home when the market is quiet."""

import asyncio
import os
import queue
import threading


class Feed:
    def __init__(self, prices):
        self.prices = queue.Queue()
        for price in prices:
            self.prices.put(price)

    def next_price(self):
        return self.prices.get()


async def quote(feed):
    loop = asyncio.get_running_loop()
    quoted = []
    while True:
        reading = loop.run_in_executor(None, feed.next_price)
        try:
            quoted.append(await asyncio.wait_for(reading, 0.3))
        except asyncio.TimeoutError:
            return quoted


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    feed = Feed([101.25, 101.5, 101.75])
    threading.Timer(1.3, tell).start()
    quoted = asyncio.run(quote(feed))
    print("quoted", quoted)


main()
