# SPDX-License-Identifier: Apache-2.0
"""Shop start: the rates are loaded while the price lists that need them are prepared."""

import asyncio
import os

SOURCES = {"EUR": {"rate": 1.0}, "USD": {"rate": 1.08}, "CHF": {"value": 0.94}}


class Rates:
    def __init__(self):
        self.loaded = asyncio.Event()
        self.table = {}

    async def load(self):
        for currency, answer in SOURCES.items():
            await asyncio.sleep(0.02)
            self.table[currency] = answer["rate"]
        self.loaded.set()


async def price_list(country, currency, rates):
    await rates.loaded.wait()
    return country, [round(net * rates.table[currency], 2) for net in (9.9, 24.5, 120.0)]


async def start_shop():
    rates = Rates()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return await asyncio.gather(
        rates.load(),
        price_list("de", "EUR", rates),
        price_list("us", "USD", rates),
        price_list("ch", "CHF", rates),
        return_exceptions=True,
    )


print(asyncio.run(start_shop()))
