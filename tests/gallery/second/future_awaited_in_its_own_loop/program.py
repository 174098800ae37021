# SPDX-License-Identifier: Apache-2.0
"""A callback in the event loop's thread asks the same loop for a result by
run_coroutine_threadsafe(...).result(): the loop can never run it.
"""

import asyncio
import os


async def fetch():
    return 3


def load_user(loop):
    return asyncio.run_coroutine_threadsafe(fetch(), loop).result()


async def handle():
    return load_user(asyncio.get_running_loop())


async def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await handle()


asyncio.run(main())
