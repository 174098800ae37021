# SPDX-License-Identifier: Apache-2.0
"""Two asyncio tasks wait for each other's future; the loop has nothing else to do and sleeps in
select for ever.
"""

import asyncio
import os


async def ask_stock(answers):
    await answers["price"]
    answers["stock"].set_result(1)


async def ask_price(answers):
    await answers["stock"]
    answers["price"].set_result(1)


async def main():
    loop = asyncio.get_running_loop()
    answers = {"price": loop.create_future(), "stock": loop.create_future()}
    loop.call_later(0.1, tell)
    await asyncio.gather(ask_stock(answers), ask_price(answers))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


asyncio.run(main())
