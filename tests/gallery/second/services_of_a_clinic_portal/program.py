# SPDX-License-Identifier: Apache-2.0
"""The portal of a clinic: appointments, letters, accounts."""

import asyncio
import logging
import os
from pathlib import Path

from services import container


async def health(reader, writer):
    await reader.readline()
    writer.write(b"starting\n")
    await writer.drain()
    writer.close()


async def refresh_calendar():
    calendar = await container.started("calendar")
    while True:
        await asyncio.sleep(1800)
        calendar.slots.sort()


async def main():
    probe = await asyncio.start_server(health, "127.0.0.1", 0)
    refresher = asyncio.ensure_future(refresh_calendar())
    loop = asyncio.get_running_loop()
    loop.call_later(0.5, Path("ready").write_text, f"{os.getpid()}\n")
    async with probe:
        services = await container.start_all()
        logging.info("%d services are up", len(services))
        await refresher


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
