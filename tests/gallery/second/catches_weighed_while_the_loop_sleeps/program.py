# SPDX-License-Identifier: Apache-2.0
"""A fish auction: scales report from their driver's thread, an asyncio service prices the catches."""  # noqa: E501

import asyncio
import os
import threading
import time

PRICES = {"cod": 6.1, "plaice": 4.2, "turbot": 18.9}


class ScaleDriver(threading.Thread):
    """Reads the serial scale (here a list) and hands every catch to the service."""

    def __init__(self, catches, inbox):
        super().__init__(name="scale-driver", daemon=True)
        self.catches = catches
        self.inbox = inbox
        self.handed = 0
        self.more = threading.Event()

    def run(self):
        for catch in self.catches:
            wait_until_idle()
            self.inbox.put_nowait(catch)
            self.handed += 1
        announce()
        self.more.wait()


def wait_until_idle():
    """The trawlers come slowly: the service has long gone back to its sleep."""
    still = 0
    while still < 12:
        with open(f"/proc/{os.getpid()}/task/{os.getpid()}/stat") as file:
            state = file.read().rpartition(")")[2].split()[0]
        still = still + 1 if state == "S" else 0
        time.sleep(0.05)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Auction:
    def __init__(self):
        self.inbox = asyncio.Queue(100)
        self.sold = []
        self.total = 0.0

    async def price(self):
        while True:
            kind, kilos = await self.inbox.get()
            if kind is None:
                break
            self.total += PRICES[kind] * kilos
            self.sold.append((kind, kilos))
            print("sold", kind, kilos, flush=True)

    async def publish(self, closed):
        """Tell the board what was sold, once the scales are done."""
        await closed.wait()
        print("board:", len(self.sold), "lots", round(self.total, 2), flush=True)


async def main():
    auction = Auction()
    closed = asyncio.Event()
    await auction.inbox.put(("turbot", 3.5))
    driver = ScaleDriver([("cod", 41.0), ("plaice", 12.5), ("cod", 8.0), (None, 0)], auction.inbox)
    board = asyncio.create_task(auction.publish(closed), name="board")
    pricing = asyncio.create_task(auction.price(), name="pricing")
    driver.start()
    await pricing
    closed.set()
    await board


if __name__ == "__main__":
    asyncio.run(main())
