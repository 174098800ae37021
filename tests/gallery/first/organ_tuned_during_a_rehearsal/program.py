# SPDX-License-Identifier: Apache-2.0
"""An organ builder tunes an organ while the choir wants to rehearse."""

import asyncio
import os


class Organ:
    def __init__(self):
        self.console = asyncio.Lock()
        self.wind = asyncio.Event()
        self.stops = {}

    async def tune(self, stop):
        async with self.console:
            await self.wind.wait()
            self.stops[stop] = 440.0

    async def play(self, choir):
        async with self.console:
            return f"{choir} sings to {len(self.stops)} stops"


async def blower(organ, pressure):
    if pressure > 70:
        organ.wind.set()


async def main():
    organ = Organ()
    loop = asyncio.get_running_loop()
    tuner = loop.create_task(organ.tune("trumpet"), name="tuner")
    await asyncio.sleep(0)
    choir = loop.create_task(organ.play("St. Mary"), name="choir")
    await blower(organ, 55)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await asyncio.gather(tuner, choir)


asyncio.run(main())
