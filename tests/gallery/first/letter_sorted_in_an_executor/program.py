# SPDX-License-Identifier: Apache-2.0
"""A coroutine awaits a job of the loop's executor that takes long."""

import asyncio
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def sort():
    time.sleep(3600)
    return 1


async def main():
    loop = asyncio.get_running_loop()
    loop.call_later(0.3, ready)
    print(await loop.run_in_executor(None, sort))


asyncio.run(main())
