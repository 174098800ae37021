# SPDX-License-Identifier: Apache-2.0
"""A spice house computes what its blends cost. A blend may contain another blend; each is computed
once, by one task, and all that need it await that task."""

import asyncio
import json
import os
from decimal import Decimal

PRICES = {"cumin": "9.40", "coriander": "6.10", "clove": "31.00", "turmeric": "7.75",
          "paprika": "8.20", "ginger": "11.30", "cardamom": "58.00"}  # fmt: skip

RECIPES = json.loads("""
{
 "garam-masala": {"cumin": 30, "clove": 10, "cardamom": 20, "coriander": 40},
 "house-curry": {"turmeric": 35, "garam-masala": 25, "ginger": 20, "coriander": 20},
 "tandoori": {"paprika": 50, "house-rub": 30, "ginger": 20},
 "house-rub": {"paprika": 30, "cumin": 20, "smoke-mix": 50},
 "smoke-mix": {"paprika": 60, "clove": 5, "tandoori": 35}
}
""")


class UnknownSpice(KeyError):
    pass


class Market:
    """Asks the wholesaler; a little slow, as networks are."""

    def __init__(self, prices):
        self._prices = {name: Decimal(price) for name, price in prices.items()}
        self.asked = 0

    async def price(self, spice):
        self.asked += 1
        await asyncio.sleep(0.002)
        try:
            return self._prices[spice]
        except KeyError:
            raise UnknownSpice(spice) from None


class Costing:
    def __init__(self, recipes, market):
        self.recipes, self.market = recipes, market
        self.tasks = {}

    async def cost(self, name):
        """Return the price of a kilogram of a spice or a blend."""
        if name not in self.tasks:
            work = self.blend(name) if name in self.recipes else self.market.price(name)
            self.tasks[name] = asyncio.ensure_future(work)
        return await self.tasks[name]

    async def blend(self, name):
        total = Decimal(0)
        for part, percent in self.recipes[name].items():
            total += await self.cost(part) * percent / 100
        return total.quantize(Decimal("0.01"))


async def price_list(blends):
    costing = Costing(RECIPES, Market(PRICES))
    for blend in blends:
        print(f"{blend:>16} {await costing.cost(blend)}", flush=True)
        if blend == "house-curry":
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
    return costing.market.asked


def main():
    asked = asyncio.run(price_list(["garam-masala", "house-curry", "tandoori"]))
    print("prices asked:", asked)


main()
