# SPDX-License-Identifier: Apache-2.0
"""Two tasks lock two desks crosswise, in asyncio.timeout()."""

import asyncio
import os


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def take(own, other):
    async with own:
        await asyncio.sleep(0.1)
        try:
            async with asyncio.timeout(3600):
                await other.acquire()
        except TimeoutError:
            print("gave up")


async def main():
    first, second = asyncio.Lock(), asyncio.Lock()
    asyncio.get_running_loop().call_later(0.5, ready)
    await asyncio.gather(take(first, second), take(second, first))


asyncio.run(main())
