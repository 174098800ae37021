# SPDX-License-Identifier: Apache-2.0
"""A daemon of asyncio reloads its rates when SIGHUP comes."""

import asyncio
import os
import signal


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    changed = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, lambda: changed.set())
    ready()
    while True:
        await changed.wait()
        changed.clear()
        print("reloaded")


asyncio.run(main())
