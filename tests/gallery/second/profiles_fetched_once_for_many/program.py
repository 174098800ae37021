# SPDX-License-Identifier: Apache-2.0
"""Profiles of customers, fetched from the directory once however many requests want one."""

import asyncio
import os


class Directory:
    def __init__(self, delay):
        self.delay = delay

    async def lookup(self, user):
        await asyncio.sleep(self.delay)
        return {"user": user, "segment": "gold"}


class ProfileCache:
    def __init__(self, directory):
        self.directory = directory
        self.coming = {}

    async def get(self, user):
        if user in self.coming:
            return await self.coming[user]
        coming = self.coming[user] = asyncio.get_running_loop().create_future()
        profile = await self.directory.lookup(user)
        coming.set_result(profile)
        return profile


async def landing_page(cache, user):
    try:
        profile = await asyncio.wait_for(cache.get(user), 0.3)
    except asyncio.TimeoutError:
        return "welcome"
    return "welcome, %(segment)s customer" % profile


async def account_page(cache, user):
    profile = await cache.get(user)
    return "account of %(user)s" % profile


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    directory = Directory(0.05)
    cache = ProfileCache(directory)
    print(await landing_page(cache, "u7"))
    directory.delay = 0.6
    print(await landing_page(cache, "u8"))
    asyncio.get_running_loop().call_later(1.0, tell)
    pages = (account_page(cache, user) for user in ("u7", "u8", "u8"))
    print(await asyncio.gather(*pages))


asyncio.run(main())
