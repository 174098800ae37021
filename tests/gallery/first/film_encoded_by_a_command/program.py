# SPDX-License-Identifier: Apache-2.0
"""A coroutine awaits the output of a command that takes long."""

import asyncio
import os


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    process = await asyncio.create_subprocess_exec("sleep", "3600", stdout=asyncio.subprocess.PIPE)
    asyncio.get_running_loop().call_later(0.3, ready)
    print(await process.communicate())


asyncio.run(main())
