# SPDX-License-Identifier: Apache-2.0
"""asyncio's Queue.join() waits for items that no consumer takes: the consumer task died of an
exception that nobody looked at.
"""

import asyncio
import os


async def consume(items):
    while True:
        item = await items.get()
        print(1 // item)
        items.task_done()


async def drain(items):
    await items.join()


async def main():
    items = asyncio.Queue()
    keep = asyncio.ensure_future(consume(items))
    for number in (1, 0, 1):
        items.put_nowait(number)
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await drain(items)
    print(keep)


asyncio.run(main())
