# SPDX-License-Identifier: Apache-2.0
"""A removal firm asks a city for parking permits, politely: one request every few seconds."""

import asyncio
import os
import time

from gate import RateGate

STREETS = ["Elm Row", "Canal Street", "Mill Lane", "Station Road", "Hill Street", "Harbour Quay"]


class Authority:
    """The city's web service, played by a coroutine."""

    def __init__(self):
        self.granted = 0

    async def ask(self, street, day):
        await asyncio.sleep(0.01)
        self.granted += 1
        return "P-%04d" % self.granted


class Removals:
    def __init__(self, interval):
        self.gate = None
        self.interval = interval
        self.authority = Authority()
        self.permits = {}

    async def request(self, street, day):
        async with self.gate:
            permit = await self.authority.ask(street, day)
        self.permits[street, day] = permit
        print("%.1f %s day %d: %s" % (time.monotonic(), street, day, permit), flush=True)

    async def run(self, days):
        self.gate = RateGate(self.interval)
        tasks = [
            asyncio.create_task(self.request(street, day), name="%s/%d" % (street, day))
            for day in range(days)
            for street in STREETS
        ]
        await self.announce()
        await asyncio.gather(*tasks)

    async def announce(self):
        while len(self.permits) < 1:
            await asyncio.sleep(0.05)
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


def main():
    removals = Removals(interval=2.0)
    asyncio.run(removals.run(days=60))
    print("%d permits" % len(removals.permits))


main()
