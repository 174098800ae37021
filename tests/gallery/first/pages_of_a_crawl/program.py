# SPDX-License-Identifier: Apache-2.0
"""A crawler fetches the pages of a site with three workers and ends when all are done."""

import asyncio
import os

SITE = {"/": ["/news", "/about"], "/news": ["/news/1", "/gone"], "/about": [], "/news/1": ["/"]}


async def fetch(path):
    await asyncio.sleep(0.01)
    return SITE.get(path)


async def worker(paths, seen):
    while True:
        path = await paths.get()
        links = await fetch(path)
        if links is None:
            continue
        for link in links:
            if link not in seen:
                seen.add(link)
                paths.put_nowait(link)
        paths.task_done()


async def crawl(start):
    paths, seen = asyncio.Queue(), {start}
    paths.put_nowait(start)
    workers = [asyncio.create_task(worker(paths, seen), name=f"crawl-{n}") for n in range(3)]
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await paths.join()
    for task in workers:
        task.cancel()


asyncio.run(crawl("/"))
