# SPDX-License-Identifier: Apache-2.0
"""A harbour asks a buoy for the depth of the water, and takes yesterday's if none comes in time."""

import asyncio
import os


class Buoy:
    """Tells its depth at each wave; on a calm day there are none."""

    def __init__(self):
        self.waves = asyncio.Queue()
        self.reconnects = 0

    async def connect(self):
        await asyncio.sleep(0.01)

    async def first_depth(self):
        while True:
            try:
                await self.connect()
                return await self.waves.get()
            except BaseException as error:
                self.reconnects += 1
                print("buoy lost, again:", repr(error), flush=True)


async def depth_now(buoy, yesterday):
    try:
        return await asyncio.wait_for(buoy.first_depth(), 0.3)
    except asyncio.TimeoutError:
        return yesterday


async def main():
    buoy = Buoy()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print("depth", await depth_now(buoy, 11.5))


asyncio.run(main())
