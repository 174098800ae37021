# SPDX-License-Identifier: Apache-2.0
"""Several tasks wait for an asyncio lock; the one that holds it sleeps for the pause that the
service's rate limit asks for, and will go on.
"""

import asyncio
import os
import time


class RateLimit:
    def __init__(self, pause):
        self.pause, self.last = pause, time.monotonic()
        self.guard = asyncio.Lock()

    async def turn(self):
        async with self.guard:
            await asyncio.sleep(self.last + self.pause - time.monotonic())
            self.last = time.monotonic()


class WeatherClient:
    def __init__(self):
        self.limit = RateLimit(30.0)

    async def forecast(self, town):
        await self.limit.turn()
        return f"{town}: fair"


async def update_town(client, town):
    print(await client.forecast(town))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    client = WeatherClient()
    asyncio.get_running_loop().call_later(0.3, tell)
    await asyncio.gather(*(update_town(client, town) for town in ("Oslo", "Rome", "Bern")))


asyncio.run(main())
