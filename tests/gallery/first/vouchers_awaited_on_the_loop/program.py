# SPDX-License-Identifier: Apache-2.0
"""A shop issues vouchers in tasks of its event loop; the checkout waits for its voucher."""

import asyncio
import json
import os


class Issuer:
    def __init__(self):
        self.vouchers = {}
        self.tasks = []

    def request(self, order, amount):
        self.tasks.append(asyncio.ensure_future(self.issue(order, amount)))

    async def issue(self, order, amount):
        await asyncio.sleep(0.05)
        if amount <= 0:
            raise ValueError(f"order {order}: amount {amount}")
        self.vouchers[order] = f"V-{order}-{amount}"

    async def voucher_of(self, order):
        while order not in self.vouchers:
            await asyncio.sleep(0)
        return self.vouchers[order]


async def checkout(issuer, orders):
    for order, amount in orders:
        issuer.request(order, amount)
    return [await issuer.voucher_of(order) for order, _ in orders]


async def shop():
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(await checkout(Issuer(), [(81, 20), (82, 0), (83, 50)]))


asyncio.run(shop())
