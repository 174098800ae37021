# SPDX-License-Identifier: Apache-2.0
"""Bee keepers share the two smokers of a club."""

import os

import trio


class Club:
    def __init__(self, smokers):
        self.smokers = trio.CapacityLimiter(smokers)
        self.calm = []

    async def calm_hive(self, hive):
        await self.smokers.acquire()
        await trio.sleep(50)
        self.calm.append(hive)
        self.smokers.release()


async def keeper(club, hive):
    await club.calm_hive(hive)


async def season():
    while True:
        await trio.sleep(60)


async def main():
    club = Club(2)
    async with trio.open_nursery() as day:
        day.start_soon(season)
        async with trio.open_nursery() as hives:
            for hive in ("lime", "clover", "heather"):
                hives.start_soon(keeper, club, hive)
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        day.cancel_scope.cancel()


trio.run(main)
