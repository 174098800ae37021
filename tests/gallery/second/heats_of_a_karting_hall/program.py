# SPDX-License-Identifier: Apache-2.0
"""Karting hall: the karts of a heat are weighed, line up and start together."""

import asyncio
import os

FIELD = {"Ada": "68.5", "Ben": "81", "Cleo": "59.0", "Dan": "74,5"}


class Heat:
    """One race: nobody leaves before all stand on the grid."""

    def __init__(self, karts):
        self.grid = asyncio.Barrier(karts)
        self.times = {}

    async def weigh(self, driver, text):
        await asyncio.sleep(0.02)
        return 30.0 + float(text) / 10

    async def drive(self, driver, text):
        lap = await self.weigh(driver, text)
        await self.grid.wait()
        await asyncio.sleep(lap / 1000)
        self.times[driver] = lap
        return driver


async def evening():
    heat = Heat(len(FIELD))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    drives = [heat.drive(driver, text) for driver, text in FIELD.items()]
    finished = await asyncio.gather(*drives, return_exceptions=True)
    print(finished, heat.times)


asyncio.run(evening())
