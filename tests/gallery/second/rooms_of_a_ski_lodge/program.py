# SPDX-License-Identifier: Apache-2.0
"""Answers guests who ask for rooms at the reception of a ski lodge."""

import asyncio
import os

from lodge import BookingHost, Desk


async def reception():
    desk = Desk(BookingHost())
    first = desk.enquire("Moser", "larch", 3, companion="Gruber")
    desk.enquire("Gruber", "spruce", 2)
    third = desk.enquire("Eder", "birch", 5)
    fourth = desk.enquire("Pichler", "stone pine", 1)
    offer = await first
    print(offer, flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    for offer in await asyncio.gather(third, fourth):
        print(offer, flush=True)


if __name__ == "__main__":
    asyncio.run(reception())
