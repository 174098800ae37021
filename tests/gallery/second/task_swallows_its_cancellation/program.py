# SPDX-License-Identifier: Apache-2.0
"""At its end asyncio.run cancels a task and waits for it; the task catches that and waits on."""

import asyncio
import os


async def keep_link(closed):
    while not closed.is_set():
        try:
            await closed.wait()
        except asyncio.CancelledError:
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())


async def serve():
    link = asyncio.ensure_future(keep_link(asyncio.Event()))
    await asyncio.sleep(0)
    return link.done()


print(asyncio.run(serve()))
