# SPDX-License-Identifier: Apache-2.0
"""Seats of a theatre are reserved by coroutines; a party gets all of its seats or none."""

import asyncio
import os


class Hall:
    def __init__(self, seats):
        self.free = set(range(seats))
        self.guard = asyncio.Lock()
        self.taken = {}

    async def reserve(self, seat, name):
        async with self.guard:
            await asyncio.sleep(0.01)
            if seat not in self.free:
                raise LookupError(seat)
            self.free.discard(seat)
            self.taken[seat] = name

    async def reserve_party(self, seats, name):
        async with self.guard:
            if not self.free.issuperset(seats):
                return False
            await asyncio.gather(*(self.reserve(seat, name) for seat in seats))
            return True


async def tell():
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def evening():
    hall = Hall(120)
    await hall.reserve(7, "Okafor")
    teller = asyncio.ensure_future(tell())
    print(await hall.reserve_party([20, 21, 22, 23], "Lindqvist"))
    await teller


asyncio.run(evening())
