# SPDX-License-Identifier: Apache-2.0
"""A loop waits for an event that a thread sets when a command was typed."""

import asyncio
import os
import sys
import threading


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    typed, loop = asyncio.Event(), asyncio.get_running_loop()

    def read():
        sys.stdin.readline()
        loop.call_soon_threadsafe(typed.set)

    threading.Thread(target=read, daemon=True).start()
    loop.call_soon(ready)
    await typed.wait()
    print("woken")


asyncio.run(main())
