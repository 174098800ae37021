# SPDX-License-Identifier: Apache-2.0
"""Dispatch of a harbour's tugs on asyncio. Two tugs, so two permits; a tow that takes too long is
given up by its deadline."""

import asyncio
import contextlib
import itertools
import os
import sys

TUGS = 2
DEADLINE = 0.08


class TowRefused(Exception):
    pass


class TugOffice:
    def __init__(self, tugs):
        self.permits = asyncio.BoundedSemaphore(tugs)
        self.journal = []
        self.numbers = itertools.count(1)

    def note(self, text):
        self.journal.append(text)
        print(f"{len(self.journal):04d} {text}", flush=True)

    async def tow(self, vessel, hours):
        """Tow one vessel to its quay; return the number of the tow."""
        await self.permits.acquire()
        number = next(self.numbers)
        self.note(f"tow {number}: {vessel} made fast")
        try:
            await self.pull(vessel, hours)
        except TowRefused as refusal:
            self.note(f"tow {number}: {refusal}")
            self.permits.release()
            return None
        self.permits.release()
        self.note(f"tow {number}: {vessel} at her quay")
        return number

    async def pull(self, vessel, hours):
        if hours <= 0:
            raise TowRefused(f"{vessel} needs no tug")
        await asyncio.sleep(hours / 10)

    async def tow_in_time(self, vessel, hours):
        """Tow, but give up when it takes longer than the harbour allows."""
        with contextlib.suppress(asyncio.TimeoutError):
            return await asyncio.wait_for(self.tow(vessel, hours), DEADLINE)
        self.note(f"{vessel}: given up, the pilot stays aboard")
        return None


class Roads:
    """Vessels that wait outside."""

    def __init__(self, office):
        self.office = office

    async def morning(self):
        await self.office.tow_in_time("Anna Sofie", 0.1)
        await self.office.tow_in_time("Nordstern", 0)
        await self.office.tow_in_time("Bulk Hope", 900)
        await self.office.tow_in_time("Ever Patient", 700)

    async def royal_visit(self):
        """No deadline for a royal yacht."""
        return await self.office.tow("Dannebrog", 0.2)


async def harbour_day():
    office = TugOffice(TUGS)
    roads = Roads(office)
    await roads.morning()
    asyncio.get_running_loop().call_soon(announce)
    number = await roads.royal_visit()
    office.note(f"royal visit over, tow {number}")


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    sys.exit(asyncio.run(harbour_day()))
