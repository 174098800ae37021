# SPDX-License-Identifier: Apache-2.0
"""The producers of a trio channel have ended and closed their clones; the original sender was
never closed, so that the consumer waits for another item for ever, and the nursery for it.
"""

import os

import trio


async def crawl(sender, site):
    async with sender:
        for number in range(3):
            await sender.send(f"{site}/{number}")


async def index_pages(receiver):
    pages = []
    async with receiver:
        async for page in receiver:
            pages.append(page)
    return pages


async def tell():
    await trio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def crawl_sites(sites):
    sender, receiver = trio.open_memory_channel(0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        nursery.start_soon(index_pages, receiver)
        for site in sites:
            nursery.start_soon(crawl, sender.clone(), site)


async def main():
    await crawl_sites(["shop", "blog"])
    print("indexed")


trio.run(main)
