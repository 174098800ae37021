# SPDX-License-Identifier: Apache-2.0
"""A service of asyncio waits for the signal that ends it."""

import asyncio
import os
import signal


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    ready()
    await stop.wait()
    print("bye")


asyncio.run(main())
