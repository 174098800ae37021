# SPDX-License-Identifier: Apache-2.0
"""Addresses are geocoded at the pace that the provider allows, by many tasks at once."""

import asyncio
import json
import os
import time
import zlib


class Pace:
    """One request in every interval; who comes waits in line."""

    def __init__(self, interval):
        self.interval = interval
        self.line = asyncio.Lock()
        self.last = 0.0

    async def turn(self):
        async with self.line:
            pause = self.last + self.interval - time.monotonic()
            if pause > 0:
                await asyncio.sleep(pause)
            self.last = time.monotonic()


async def geocode(address):
    await asyncio.sleep(0.03)
    key = zlib.crc32(address.encode())
    return key % 180 - 90, key // 180 % 360 - 180


async def locate(pace, addresses, found):
    while addresses:
        address = addresses.pop()
        await pace.turn()
        found[address] = await geocode(address)


async def job():
    pace, found = Pace(0.2), {}
    addresses = [f"{n} Mill Lane" for n in range(9000)]
    tasks = [asyncio.ensure_future(locate(pace, addresses, found)) for _ in range(6)]
    await asyncio.sleep(1)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    await asyncio.gather(*tasks)
    print(len(found))


asyncio.run(job())
