# SPDX-License-Identifier: Apache-2.0
"""Parcels are read from a manifest and labelled by three coroutines."""

import asyncio
import os

MANIFEST = ["118;Bergen;2.5", "119;Turku;0.8", "120;Aarhus;", "121;Lund;4.1"]


class Depot:
    def __init__(self):
        self.waiting = asyncio.Queue(10)
        self.labels = []

    async def read_manifest(self):
        for line in MANIFEST:
            number, town, weight = line.split(";")
            await self.waiting.put((int(number), town, float(weight)))
            await asyncio.sleep(0.02)
        for _ in range(3):
            await self.waiting.put(None)

    async def label(self):
        while True:
            parcel = await self.waiting.get()
            if parcel is None:
                return
            number, town, weight = parcel
            self.labels.append("%s #%d %.1f kg" % (town.upper(), number, weight))


async def tell():
    await asyncio.sleep(0.5)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def shift():
    depot = Depot()
    reader = asyncio.ensure_future(depot.read_manifest())
    teller = asyncio.ensure_future(tell())
    hands = [asyncio.ensure_future(depot.label()) for _ in range(3)]
    for hand in hands:
        await hand
    await reader
    await teller
    print(depot.labels)


asyncio.run(shift())
