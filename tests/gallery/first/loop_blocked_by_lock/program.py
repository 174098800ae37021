# SPDX-License-Identifier: Apache-2.0
"""A coroutine takes a threading.Lock that another coroutine holds across an await: the thread of
the loop waits for itself.
"""

import asyncio
import os
import threading

CACHE_LOCK = threading.Lock()


async def refresh():
    with CACHE_LOCK:
        await asyncio.sleep(0.1)


async def read():
    await asyncio.sleep(0.02)
    with CACHE_LOCK:
        return 1


async def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(refresh(), read())


asyncio.run(main())
