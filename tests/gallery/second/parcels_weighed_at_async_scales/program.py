# SPDX-License-Identifier: Apache-2.0
"""Parcels are read from a manifest and weighed at two scales; all runs in one loop."""

import asyncio
import os

MANIFEST = ["%d;%d g" % (number, 400 + 35 * number) for number in range(6)]
MANIFEST += ["%d;%d,5 g" % (number, 210 + number) for number in range(6, 40)]


def grams(line):
    return int(line.split(";")[1].replace(" g", ""))


class Hall:
    def __init__(self):
        self.belt = asyncio.Queue(maxsize=8)
        self.weights = []

    async def load(self, manifest):
        for line in manifest:
            await self.belt.put(line)
        for _ in range(2):
            await self.belt.put(None)

    async def weigh(self):
        while True:
            line = await self.belt.get()
            if line is None:
                break
            await asyncio.sleep(0.01)
            self.weights.append(grams(line))


async def day(manifest):
    hall = Hall()
    results = await asyncio.gather(
        hall.load(manifest), hall.weigh(), hall.weigh(), return_exceptions=True
    )
    errors = [result for result in results if result]
    print(len(hall.weights), "weighed,", len(errors), "errors")


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    asyncio.run(day(MANIFEST))


main()
