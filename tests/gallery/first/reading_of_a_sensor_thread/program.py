# SPDX-License-Identifier: Apache-2.0
"""A loop waits for a future that a thread sets by call_soon_threadsafe()."""

import asyncio
import os
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    loop = asyncio.get_running_loop()
    reading = loop.create_future()

    def sense():
        time.sleep(3600)
        loop.call_soon_threadsafe(reading.set_result, 21.5)

    threading.Thread(target=sense, name="sensor", daemon=True).start()
    loop.call_soon(ready)
    print(await reading)


asyncio.run(main())
