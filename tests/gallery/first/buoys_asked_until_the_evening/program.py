# SPDX-License-Identifier: Apache-2.0
"""Ask the buoys of a bay for their waves until the evening, then write the day's report."""

import asyncio
import logging
import os
from collections import namedtuple

from buoys import Station

Report = namedtuple("Report", "buoy highest asked")


class Writer:
    """Writes what comes into its queue, beside the loop's other work."""

    def __init__(self):
        self.lines = asyncio.Queue()
        self.written = []

    async def run(self):
        while (line := await self.lines.get()) is not None:
            self.written.append(line)

    async def write(self, report):
        await self.lines.put(f"{report.buoy}: {report.highest} m of {report.asked} answers")


def after_sunset():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


async def day(writer, seconds):
    async with Station(["Jade", "Weser", "Alte Ems"]) as station:
        await asyncio.sleep(seconds)
        asyncio.get_running_loop().call_later(1.0, after_sunset)
    for buoy in station.buoys:
        await writer.write(Report(buoy.name, max(buoy.waves), len(buoy.waves)))
    await writer.lines.put(None)


async def main():
    logging.basicConfig(level=logging.INFO)
    writer = Writer()
    await asyncio.gather(day(writer, 1.0), writer.run())
    print(*writer.written, sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
