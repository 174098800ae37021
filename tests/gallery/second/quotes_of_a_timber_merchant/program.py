# SPDX-License-Identifier: Apache-2.0
"""Quotes of a timber merchant: an aiohttp service with two resources."""

import asyncio
import os
from pathlib import Path

import aiohttp
import urllib3
from aiohttp import web

PRICES = {"oak": 940.0, "larch": 410.0, "spruce": 265.0}


class PriceList:
    """The client of the service of prices, as the other programs of the house use it."""

    def __init__(self, base):
        self.base = base
        self.pool = urllib3.PoolManager()

    def price_of(self, wood):
        return self.pool.request("GET", f"{self.base}/prices/{wood}").json()["price"]


class Merchant:
    def __init__(self):
        self.price_list = None
        self.app = web.Application()
        self.app.router.add_get("/prices/{wood}", self.show_price)
        self.app.router.add_post("/quotes", self.quote)

    async def show_price(self, request):
        wood = request.match_info["wood"]
        return web.json_response({"wood": wood, "price": PRICES[wood]})

    async def quote(self, request):
        order = await request.json()
        total = sum(self.price_list.price_of(wood) * cubic for wood, cubic in order.items())
        return web.json_response({"total": round(total, 2)})

    async def open(self):
        runner = web.AppRunner(self.app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        base = f"http://127.0.0.1:{runner.addresses[0][1]}"
        self.price_list = PriceList(base)
        return base


async def main():
    base = await Merchant().open()
    Path("ready").write_text(f"{os.getpid()}\n")
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{base}/quotes", json={"oak": 1.2, "spruce": 7.5}) as answer:
            print(await answer.json())


if __name__ == "__main__":
    asyncio.run(main())
