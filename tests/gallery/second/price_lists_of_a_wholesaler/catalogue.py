# SPDX-License-Identifier: Apache-2.0
"""The catalogue: a memory of prices before a repository that answers slowly."""

import asyncio


class Repository:
    def __init__(self):
        self._cents = {"hinge": 430, "screw": 7, "bolt": 19}

    async def fetch(self, article):
        await asyncio.sleep(0.02)
        return self._cents[article]


class Catalogue:
    """Prices for coroutines (price) and for the import scripts, which are threads (reload)."""

    def __init__(self, repository):
        self._repository = repository
        self._known = {}
        self._loop = None

    def attach(self, loop):
        self._loop = loop

    async def price(self, article):
        if article not in self._known:
            self._known[article] = await self._repository.fetch(article)
        return self._known[article]

    def reload(self, article):
        pending = asyncio.run_coroutine_threadsafe(self._repository.fetch(article), self._loop)
        self._known[article] = pending.result()
