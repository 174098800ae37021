# SPDX-License-Identifier: Apache-2.0
"""An atlas server rebuilds its index of names in an executor; requests wait for the new index."""

import asyncio
import os
import random
import time

import gazetteer


class Atlas:
    def __init__(self, names):
        self.names = names
        self.index = gazetteer.build(names[:500], seconds=0)
        self.rebuilding = asyncio.Lock()
        self.begun = asyncio.Event()
        self.answered = 0

    async def rebuild(self, seconds):
        """Rebuild the index; a thread does the work."""
        async with self.rebuilding:
            self.begun.set()
            loop = asyncio.get_running_loop()
            self.index = await loop.run_in_executor(None, gazetteer.build, self.names, seconds)
            self.begun.clear()

    async def find(self, prefix):
        if self.begun.is_set():
            async with self.rebuilding:
                pass
        self.answered += 1
        return self.index.get(prefix, [])[:3]


async def serve(atlas, reader, writer):
    while line := await reader.readline():
        found = await atlas.find(line.decode().strip())
        writer.write((" ".join(found) or "-").encode() + b"\n")
        await writer.drain()
    writer.close()


async def visitor(port, prefixes):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    for prefix in prefixes:
        writer.write(prefix.encode() + b"\n")
        answers.append((await reader.readline()).decode().strip())
    writer.close()
    return answers


async def main():
    random.seed(3)
    atlas = Atlas(gazetteer.names(4000))
    server = await asyncio.start_server(lambda r, w: serve(atlas, r, w), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(await visitor(port, ["ba", "ke"]), flush=True)
    nightly = asyncio.create_task(atlas.rebuild(3600), name="nightly rebuild")
    await atlas.begun.wait()
    visits = [asyncio.create_task(visitor(port, ["lo", "mi"])) for _ in range(4)]

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    asyncio.get_running_loop().call_later(1.0, ready)
    began = time.monotonic()
    print(await asyncio.gather(*visits), flush=True)
    await nightly
    print("rebuilt in", time.monotonic() - began, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
