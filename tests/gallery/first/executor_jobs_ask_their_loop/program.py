# SPDX-License-Identifier: Apache-2.0
"""All threads of the loop's executor wait for coroutines of the loop; these wait for a thread of
the same executor. The loop sleeps in its selector as if it had nothing to do.
"""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor


def geocode(street):
    return len(street)


async def look_up(street):
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, geocode, street)


class FeedImporter:
    def __init__(self, loop):
        self.loop = loop

    def import_feed(self, name):
        time.sleep(0.1)
        return [self.place_of(f"{name} street {number}") for number in range(2)]

    def place_of(self, street):
        return asyncio.run_coroutine_threadsafe(look_up(street), self.loop).result()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(2, thread_name_prefix="feed"))
    loop.call_later(0.5, tell)
    importer = FeedImporter(loop)
    names = ("north", "south", "west")
    await asyncio.gather(
        *(loop.run_in_executor(None, importer.import_feed, name) for name in names)
    )


asyncio.run(main())
