# SPDX-License-Identifier: Apache-2.0
"""A copier limits how many copies are under way; folders count as copies too."""

import asyncio
import os
import threading


class Copier:
    def __init__(self):
        self.limit = asyncio.Semaphore(2)
        self.copied = []

    async def copy_file(self, name):
        async with self.limit:
            await asyncio.sleep(0.05)
            self.copied.append(name)

    async def copy_folder(self, name):
        async with self.limit:
            await asyncio.sleep(0.05)
            for file in ("a", "b"):
                await self.copy_file(name + "/" + file)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def copy_all():
    copier = Copier()
    await asyncio.gather(copier.copy_folder("east"), copier.copy_folder("west"))
    return copier.copied


def main():
    threading.Timer(1.0, tell).start()
    print(asyncio.run(copy_all()))


main()
