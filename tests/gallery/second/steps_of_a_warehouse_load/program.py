# SPDX-License-Identifier: Apache-2.0
"""Run the steps of the nightly load of a warehouse, each after those it needs."""

import asyncio
import os

STEPS = {
    "fetch_orders": [],
    "fetch_customers": [],
    "clean_customers": ["fetch_customers"],
    "join_sales": ["fetch_orders", "customers_cleaned"],
    "publish_report": ["join_sales"],
}


class NightlyLoad:
    def __init__(self, steps):
        self.steps = steps
        self.finished = {}

    def after(self, name):
        if name not in self.finished:
            self.finished[name] = asyncio.get_running_loop().create_future()
        return self.finished[name]

    async def work(self, name):
        await asyncio.sleep(0.05)
        return "%s: %d rows" % (name, len(name) * 1000)

    async def run_step(self, name):
        for needed in self.steps[name]:
            await self.after(needed)
        self.after(name).set_result(await self.work(name))

    async def run(self):
        runs = [asyncio.ensure_future(self.run_step(name)) for name in self.steps]
        await asyncio.gather(*runs)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    asyncio.get_running_loop().call_later(0.5, tell)
    await NightlyLoad(STEPS).run()
    print("done")


asyncio.run(main())
