# SPDX-License-Identifier: Apache-2.0
"""Forecasts of wind power for the desks of a power exchange."""

import asyncio
import logging
import os
from pathlib import Path

from forecasts import ForecastClient

AREAS = ("north", "coast", "alps", "east")


async def model_server(reader, writer):
    """The model's side: a run takes most of a minute."""
    await reader.readline()
    await asyncio.sleep(50)
    writer.write(b"812 790.5 640 588\n")
    await writer.drain()
    writer.close()


async def desk(name, client, area):
    while True:
        try:
            forecast = await asyncio.wait_for(client.forecast(area), timeout=300)
        except asyncio.TimeoutError:
            logging.warning("%s: no forecast for %s", name, area)
        else:
            logging.info("%s: %s", name, forecast.megawatts)
        await asyncio.sleep(600)


async def main():
    server = await asyncio.start_server(model_server, "127.0.0.1", 0)
    client = ForecastClient(server.sockets[0].getsockname())
    desks = [desk(f"desk-{n}", client, area) for n, area in enumerate(AREAS)]
    asyncio.get_running_loop().call_later(1.0, Path("ready").write_text, f"{os.getpid()}\n")
    async with server:
        await asyncio.gather(*desks)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
