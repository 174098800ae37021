# SPDX-License-Identifier: Apache-2.0
"""A quarry lets one crew in at a time; the blaster waits inside for what the surveyor finds."""

import asyncio
import os


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Quarry:
    def __init__(self):
        self.permit = asyncio.Semaphore(1)
        self.survey = asyncio.get_running_loop().create_future()

    async def blast(self):
        async with self.permit:
            depth = await self.survey
            print("blasting at", depth)

    async def measure(self):
        async with self.permit:
            self.survey.set_result(12)


async def log_the_dust(readings):
    while True:
        readings.append(len(readings))
        await asyncio.sleep(30)


async def main():
    quarry = Quarry()
    crews = [asyncio.ensure_future(log_the_dust([])), asyncio.ensure_future(quarry.blast())]
    await asyncio.sleep(0)
    crews.append(asyncio.ensure_future(quarry.measure()))
    tell()
    await asyncio.sleep(8 * 3600)
    for crew in crews:
        crew.cancel()


asyncio.run(main())
