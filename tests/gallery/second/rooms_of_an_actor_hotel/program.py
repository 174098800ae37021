# SPDX-License-Identifier: Apache-2.0
"""Runs a small hotel over the winter: few guests come."""

import asyncio
import os

from actors import Watch
from hotel import Desk


async def winter():
    desk = Desk()
    watch = Watch(desk.housekeeping, "inspect", every=3600.0)
    for guest in ("Aalto", "Borg", "Cederlund"):
        print(guest, "->", await desk.ask("arrive", guest=guest), flush=True)
    await desk.rooms["12"].ask("move_out")
    while desk.handled < 4:
        await asyncio.sleep(0.02)
    print(desk.book, watch.every, flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await asyncio.gather(desk.task, desk.housekeeping.task)


if __name__ == "__main__":
    asyncio.run(winter())
