# SPDX-License-Identifier: Apache-2.0
"""Tasks that hold an asyncio semaphore wait for tasks of their own that want the same semaphore;
all of its places are taken by the waiting ones.
"""

import asyncio
import os


async def crawl(page, depth, places):
    async with places:
        await asyncio.sleep(0.01)
        if depth == 0:
            return 1
        links = [crawl(f"{page}/{n}", depth - 1, places) for n in range(2)]
        return sum(await asyncio.gather(*links))


async def main():
    places = asyncio.Semaphore(2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    sites = [crawl(name, 2, places) for name in ("north", "south", "east")]
    print(sum(await asyncio.gather(*sites)))


asyncio.run(main())
