# SPDX-License-Identifier: Apache-2.0
"""The thumbnailer of a gallery is started with a pipe for its messages and then only awaited:
nobody reads, its pipe and the stream's buffer are full, it never ends."""

import asyncio
import os
import sys

CONVERT = (
    "import sys\nfor n in range(9000): sys.stdout.write('frame %06d: scaled to 320x240\\n' % n)"
)


async def convert(picture):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CONVERT, picture, stdout=asyncio.subprocess.PIPE
    )
    status = await process.wait()
    return status, await process.stdout.read()


async def thumbnail(picture):
    status, messages = await convert(picture)
    print(picture, status, len(messages))


async def serve(pictures):
    asyncio.get_running_loop().call_later(0.8, tell)
    for picture in pictures:
        await thumbnail(picture)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


asyncio.run(serve(["beach.gif", "harbour.gif"]))
