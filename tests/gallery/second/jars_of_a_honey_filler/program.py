# SPDX-License-Identifier: Apache-2.0
"""A beekeeper's filling line: orders are queued, filled by three heads, and then billed."""

import asyncio
import logging
import os

log = logging.getLogger("filler")


class Jammed(Exception):
    pass


class Head:
    def __init__(self, name, queue):
        self.name = name
        self.queue = queue
        self.filled = 0

    async def fill(self, order):
        grams, jars = order["grams"], order["jars"]
        for _ in range(jars):
            await asyncio.sleep(0)
        if order["honey"] == "heather":  # sets like a jelly
            raise Jammed("nozzle of %s" % self.name)
        self.filled += grams * jars

    async def run(self):
        while True:
            order = await self.queue.get()
            try:
                await self.fill(order)
            except Jammed as problem:
                log.warning("order %s: %s", order["number"], problem)
                continue
            log.info("order %s filled", order["number"])
            self.queue.task_done()


ORDERS = [
    {"number": "H-31", "honey": "acacia", "grams": 250, "jars": 24},
    {"number": "H-32", "honey": "heather", "grams": 500, "jars": 12},
    {"number": "H-33", "honey": "lime", "grams": 250, "jars": 6},
    {"number": "H-34", "honey": "clover", "grams": 500, "jars": 10},
]


async def bill(heads):
    return sum(head.filled for head in heads) / 1000


async def settle_down(queue):
    """Wait until the heads have nothing more to take."""
    while not queue.empty():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


async def main():
    queue = asyncio.Queue()
    heads = [Head("head-%d" % n, queue) for n in (1, 2, 3)]
    tasks = [asyncio.ensure_future(head.run()) for head in heads]
    for order in ORDERS:
        await queue.put(order)
    await settle_down(queue)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await queue.join()
    for task in tasks:
        task.cancel()
    print("%.1f kg filled" % await bill(heads))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    asyncio.run(main())
