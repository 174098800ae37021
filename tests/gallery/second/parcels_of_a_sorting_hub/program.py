# SPDX-License-Identifier: Apache-2.0
"""Sorts parcels onto chutes; the shift ends when every parcel of the belt is done."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

CHUTES = {"N": 1, "E": 2, "S": 3, "W": 4}


@dataclass
class Parcel:
    number: int
    zone: str


class Hub:
    def __init__(self):
        self.belt = asyncio.Queue(32)
        self.sorted = {chute: [] for chute in CHUTES.values()}

    async def feed(self, parcels):
        for number in range(parcels):
            zone = "NESW"[number % 4] if number % 37 != 36 else "N/E"
            await self.belt.put(Parcel(number, zone))

    async def sorter(self, arm):
        while True:
            parcel = await self.belt.get()
            await asyncio.sleep(0.001 * arm)
            self.sorted[CHUTES[parcel.zone]].append(parcel)
            self.belt.task_done()

    async def shift(self):
        arms = [asyncio.create_task(self.sorter(n), name=f"arm-{n}") for n in (1, 2, 3)]
        await self.feed(130)
        await self.belt.join()
        for arm in arms:
            arm.cancel()


async def tick(path, every):
    while True:
        Path(path).write_text("up")
        await asyncio.sleep(every)


async def report(hub):
    while True:
        await asyncio.sleep(0.7)
        print({chute: len(done) for chute, done in hub.sorted.items()}, flush=True)


async def main():
    hub = Hub()
    others = [
        asyncio.create_task(tick("beat", 0.4), name="heartbeat"),
        asyncio.create_task(report(hub), name="report"),
    ]
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.create_task(hub.shift(), name="shift")
    for other in others:
        other.cancel()


asyncio.run(main())
