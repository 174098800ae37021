# SPDX-License-Identifier: Apache-2.0
"""A boat house with two boats and a door for its guests; who has a boat rows for a while."""

import asyncio
import os


class BoatHouse:
    def __init__(self, boats):
        self.boats = asyncio.Semaphore(boats)
        self.rowed = {}

    async def row(self, guest, minutes):
        await self.boats.acquire()
        try:
            await asyncio.sleep(60 * minutes)
            self.rowed[guest] = minutes
        finally:
            self.boats.release()


async def greet(reader, writer):
    writer.write(b"come in\n")
    await writer.drain()
    writer.close()


async def main():
    house = BoatHouse(2)
    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    guests = [asyncio.create_task(house.row(f"guest {n}", 5 + n)) for n in range(5)]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    async with server:
        await asyncio.gather(*guests)
    print(house.rowed)


asyncio.run(main())
